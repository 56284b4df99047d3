"""`autograd.Function`: operations with a gradient written by hand."""
