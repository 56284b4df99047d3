"""What runs a graph: NumPy's code, machine code or the interpreter, and the choice among them."""
