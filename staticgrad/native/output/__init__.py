"""Machine code as a function of Python, and as an object file for C."""
