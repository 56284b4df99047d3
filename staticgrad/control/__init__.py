"""Control flow: loops, branches and calls, as ops whose attributes are graphs."""
