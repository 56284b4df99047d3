"""The machine that code runs on: the compiler, symbols, BLAS, threads, stacks and signals."""
