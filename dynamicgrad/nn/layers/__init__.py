"""Layers, losses and activations as modules."""
