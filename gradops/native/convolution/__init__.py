"""Convolutions of any sizes in machine code: one function for each dtype and width."""
