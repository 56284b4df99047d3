"""Rewrite rules, one module per subject."""
