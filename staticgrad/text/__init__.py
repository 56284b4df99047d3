"""The text form of graphs: printer, lexer, parser."""
