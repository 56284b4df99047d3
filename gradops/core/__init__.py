"""The op table and its vocabulary: ops, types, sizes, rules, errors, dispatch."""
