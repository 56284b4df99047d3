"""Batches of ops: many small ops that do the same become one."""
