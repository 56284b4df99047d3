"""Tensors while a program is captured: holders of values, writes to what was captured."""
