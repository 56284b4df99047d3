"""`compare`: one function as plain NumPy, on the tape, and as a graph of `staticgrad`."""

from staticgrad.comparison.compare import compare as compare
