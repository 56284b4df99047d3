"""Importing is quick, because nothing is imported that the program may never use."""

import subprocess
import sys

IMPORT_ALL = "import gradops, dynamicgrad, staticgrad, sys; print(*sys.modules, sep='\\n')"


def test_importing_the_packages_imports_no_slow_library():
    loaded = subprocess.check_output([sys.executable, "-c", IMPORT_ALL], text=True).split()
    assert {"gradops", "dynamicgrad", "staticgrad"} <= set(loaded)
    slow = {"networkx", "scipy", "sklearn"} & set(loaded)
    assert not slow
