"""The libraries: how each one runs a program."""
