"""What the three packages offer is listed and documented, and the examples run."""

import doctest
import importlib
import inspect
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

PACKAGES = {package.__name__: package for package in (gradops, dg, sg)}
NAMESPACE = {"np": np, "gradops": gradops, "dg": dg, "sg": sg}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

every_package = pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)


def public_names(package):
    """The names one sees in `package`, its modules apart."""
    return {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }


def is_callable_object(value):
    """Whether `value` is called like a function but is an object of ours, as an op is."""
    ours = type(value).__module__.partition(".")[0] in PACKAGES
    return ours and callable(value) and not inspect.isclass(value)


def own_doc(value):
    """The docstring that was written for `value` itself, not for its type."""
    if is_callable_object(value) and value.__doc__ == type(value).__doc__:
        return None
    return value.__doc__


def documented():
    """Every public function, class and op, by dotted name; what several packages offer, once."""
    found = {}
    for package in PACKAGES.values():
        for name in package.__all__:
            value = getattr(package, name, None)
            if inspect.isclass(value) or inspect.isroutine(value) or is_callable_object(value):
                found.setdefault(id(value), (f"{package.__name__}.{name}", value))
    return dict(found.values())


def modules():
    """Every module of the three packages."""
    for package in PACKAGES.values():
        yield package
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not info.name.endswith(".__main__"):
                yield importlib.import_module(info.name)


def examples():
    """A doctest for every docstring with examples; the finder knows no callable objects."""
    finder, parser = doctest.DocTestFinder(), doctest.DocTestParser()
    for module in modules():
        yield from (test for test in finder.find(module, extraglobs=NAMESPACE) if test.examples)
    for name, value in DOCUMENTED.items():
        if is_callable_object(value) and ">>>" in (own_doc(value) or ""):
            yield parser.get_doctest(inspect.cleandoc(value.__doc__), NAMESPACE, name, name, 0)


DOCUMENTED = documented()
EXAMPLES = {test.name: test for test in examples()}


@every_package
def test_every_listed_name_exists(package):
    assert not [name for name in package.__all__ if not hasattr(package, name)]


@every_package
def test_listed_names_are_sorted_and_listed_once(package):
    assert list(package.__all__) == sorted(set(package.__all__))


@every_package
def test_every_public_name_is_listed(package):
    assert not public_names(package) - set(package.__all__)


@pytest.mark.parametrize("value", DOCUMENTED.values(), ids=DOCUMENTED)
def test_docstring_starts_with_a_sentence(value):
    doc = own_doc(value)
    assert doc, "it has no docstring of its own"
    assert doc.strip().splitlines()[0].endswith("."), "its first line is no sentence"


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_docstring_examples_hold(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where some write files
    report = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
    with sg.Graph().as_default():
        runner.run(example, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)
