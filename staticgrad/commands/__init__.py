"""The command line, `python -m staticgrad`: a module for each command.

Such a module has a function whose docstring the help shows, `command(options)`, which returns the
exit status, the function `add_arguments(parser)`, and `EXAMPLES`.
"""
