"""Hooks on tensors, nodes and saved tensors, and what gradient graphs show of themselves."""
