"""Sparse derivatives: patterns of Jacobians, their colours, and compressed evaluation."""
