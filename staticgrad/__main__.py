"""`python -m staticgrad`: look at graphs, run, check, compare and convert them."""

import sys

from .commands.command_line import main

if __name__ == "__main__":
    sys.exit(main())
