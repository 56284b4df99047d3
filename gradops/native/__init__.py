"""Machine code: LLVM IR as text, scalars, functions and arrays in it, threads, and the compiler."""
