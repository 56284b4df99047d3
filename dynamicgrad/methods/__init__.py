"""Functions of `dg`, and the methods and operators of tensors and arrays."""
