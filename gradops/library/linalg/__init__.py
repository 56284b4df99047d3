"""Linear algebra: products, factorizations, solvers, norms."""
