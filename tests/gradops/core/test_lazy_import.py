"""Names that packages import on first use."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest

import dynamicgrad
import gradops
import staticgrad
from gradops.core import version

LOADED = "import sys, {0}; print(*sys.modules)"


@pytest.mark.parametrize("package", [gradops, dynamicgrad, staticgrad], ids=lambda p: p.__name__)
def test_every_public_name_can_be_read_and_is_in_dir(package):
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is getattr(package, name)


def test_a_name_is_kept_after_its_first_use():
    assert staticgrad.Session is vars(staticgrad)["Session"]


@pytest.mark.parametrize(
    ("package", "later"),
    [
        ("gradops", ["gradops.testing", "gradops.transforms.taylor"]),
        ("dynamicgrad", ["dynamicgrad.nn", "dynamicgrad.optim", "dynamicgrad.func"]),
        ("staticgrad", ["staticgrad.runtime", "staticgrad.passes", "staticgrad.functions"]),
    ],
)
def test_what_few_programs_need_is_not_imported_with_the_package(package, later):
    program = [sys.executable, "-c", LOADED.format(package)]
    loaded = subprocess.run(program, capture_output=True, text=True, check=True).stdout.split()
    assert package in loaded
    assert not set(later) & set(loaded)


def test_an_absent_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        gradops.testing.nonsense  # noqa: B018


@pytest.mark.parametrize(("module", "name"), [("staticgrad", "Session"), ("dynamicgrad", "tensor")])
def test_a_misspelt_name_gets_a_suggestion(module, name):
    program = [sys.executable, "-c", f"import {module}; {module}.{name}s"]
    errors = subprocess.run(program, capture_output=True, text=True, check=False).stderr
    assert f"Did you mean: '{name}'?" in errors


@pytest.mark.parametrize("package", [gradops, dynamicgrad, staticgrad], ids=lambda p: p.__name__)
def test_packages_have_the_version_of_the_distribution(package):
    assert package.__version__ == version.installed_version()
    assert package.__version__[0].isdigit()


def test_packages_in_a_folder_have_a_version_that_sorts_first(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(version, "version", missing)
    assert version.installed_version() == "0+unknown"
