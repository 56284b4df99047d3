"""Functions such as exp, pow and erf in machine code, by subject."""
