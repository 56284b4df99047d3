"""What a machine compiles and measures once: the cost table, and the library of kernels.

python -m benchmarks.measure.once
"""

from importlib.util import find_spec

from gradops.native import costs
from gradops.native.kernels.library import GROUPS, code, kernels


def main() -> None:
    """Leave it in the cache of machine code."""
    costs.table()
    if find_spec("llvmlite") is not None:
        for group in GROUPS:
            for name in kernels(group):
                code(group, name)


if __name__ == "__main__":
    main()
