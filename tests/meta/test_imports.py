"""Importing is quick, because nothing is imported that the program may never use."""

import subprocess
import sys

import pytest

IMPORT_ALL = "import gradops, dynamicgrad, staticgrad, sys; print(*sys.modules, sep='\\n')"


def test_importing_the_packages_imports_no_slow_library():
    loaded = subprocess.check_output([sys.executable, "-c", IMPORT_ALL], text=True).split()
    assert {"gradops", "dynamicgrad", "staticgrad"} <= set(loaded)
    slow = {"networkx", "scipy", "sklearn"} & set(loaded)
    assert not slow


LATE = {
    "dataclasses", "decimal", "gradops.array_api", "hashlib", "json", "numpy.fft", "numpy.random",
    "numpy.typing", "random", "string", "threading",
}  # fmt: skip
"""What takes a millisecond and more to import, or makes classes slowly, and few programs need."""


NEW = "import numpy, sys; old = {{*sys.modules}}; import {}; print(*{{*sys.modules}} - old)"


@pytest.mark.parametrize(
    ("package", "late"),
    [("dynamicgrad", LATE), ("staticgrad", LATE - {"dataclasses", "threading"})],
)
def test_importing_a_package_imports_no_more_of_numpy_and_python_than_it_uses(package, late):
    """Import such modules in functions, and `DTypeLike` from `gradops.typing`.

    An annotation `np.random.Generator` stands in quotes, as NumPy imports `numpy.random` for it.
    """
    program = NEW.format(package)
    loaded = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert package in loaded
    assert late.isdisjoint(loaded), sorted(late.intersection(loaded))


IMPORT_EVERY_MODULE = """
import importlib, pkgutil
for package in ("gradops", "dynamicgrad", "staticgrad"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
import numpy as np, dynamicgrad as dg, staticgrad as sg
assert False, "assertions are not left out"
f = lambda x: np.sum(np.tanh(x) * x)
print(*dg.grad(f)(np.ones(2)), *sg.function(dg.grad(f))(np.ones(2)))
"""


def test_every_module_works_without_docstrings_and_assertions():
    found = subprocess.check_output([sys.executable, "-OO", "-c", IMPORT_EVERY_MODULE], text=True)
    values = {float(x) for x in found.split()}
    assert len(values) == 1
