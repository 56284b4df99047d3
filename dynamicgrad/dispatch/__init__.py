"""From a call to an op: fast path, type promotion, dtypes, dimensions of numbers, keywords."""
