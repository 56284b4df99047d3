"""The extras of pyproject.toml that users install, a line each, for `.ci/release`."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
FOR_DEVELOPERS = {"dev", "examples", "site"}


if __name__ == "__main__":
    print("\n".join(sorted(PROJECT["optional-dependencies"].keys() - FOR_DEVELOPERS)))
