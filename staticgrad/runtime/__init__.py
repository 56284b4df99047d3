"""Running graphs: the executable, the interpreter that is its reference, and sessions."""
