"""What a machine compiles and measures once: the cost table, and the code that graphs share.

python -m benchmarks.measure.once
"""

from importlib.util import find_spec

from gradops.native import costs
from staticgrad.commands.prepare import parts


def main() -> None:
    """Leave it in the cache of machine code."""
    costs.table()
    if find_spec("llvmlite") is not None:
        for _, make in parts():
            make()


if __name__ == "__main__":
    main()
