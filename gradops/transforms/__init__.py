"""Program transformations over ops: reverse mode, forward mode, batching, Taylor mode."""
