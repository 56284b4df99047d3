"""Gradient checking against numerical differentiation."""
