"""LLVM's language as text: functions, scalars, vectors, and arrays in memory."""
