"""Products and sums of products: constant factors, inverses, and products by BLAS."""
