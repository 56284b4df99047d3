"""Extras and lower bounds of pyproject.toml, for `.ci/release`.

python .ci/extras.py            the extras for users, a line each
python .ci/extras.py EXTRA      the oldest versions that the extra admits, as pip takes them
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
FOR_DEVELOPERS = {"dev", "examples", "site"}
BOUND = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\d.]+)")


def extras() -> list[str]:
    """The names of the extras that users install."""
    return sorted(PROJECT["optional-dependencies"].keys() - FOR_DEVELOPERS)


def oldest(extra: str) -> list[str]:
    """The requirements of the project and of an extra, each at its lower bound."""
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"].get(extra, [])]
    bounds = [BOUND.match(line) for line in wanted]
    return [f"{found[1]}=={found[2]}" for found in bounds if found]


if __name__ == "__main__":
    print("\n".join(oldest(sys.argv[1]) if sys.argv[1:] else extras()))
