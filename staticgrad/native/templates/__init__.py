"""Code of ops that have templates: products, loops, convolutions, small systems of equations."""
