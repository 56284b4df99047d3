"""Random ops, which are functions of a key, and distributions."""
