"""Shapes of expressions: refined by what a program knows, and computed by expressions."""
