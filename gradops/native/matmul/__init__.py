"""Products of matrices in machine code of our own."""
