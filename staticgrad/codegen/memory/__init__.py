"""Memory of generated code: the order of execution, lifetimes, buffers, and the bytes of a run."""
