"""Engines: what runs a program on blocks and adds up the results, and the choice among them."""
