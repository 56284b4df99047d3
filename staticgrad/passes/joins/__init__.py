"""Concatenations and stacks: what is joined is joined once, or not at all."""
