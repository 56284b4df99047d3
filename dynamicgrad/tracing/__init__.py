"""Tensors in traced programs: the tracer protocol, and writes to captured tensors."""
