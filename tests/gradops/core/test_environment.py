"""Environment variables: their values, and warnings of those that they cannot have."""

from pathlib import Path

import pytest

from gradops.core.environment import amount, folder, switch, word

NAME = "STATICGRAD_TEST"


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    """No value, as a test begins."""
    monkeypatch.delenv(NAME, raising=False)


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), (" On", True), ("0", False), ("no", False)]
)
def test_switches(monkeypatch, text, value):
    assert switch(NAME, not value) is not value
    monkeypatch.setenv(NAME, text)
    assert switch(NAME, not value) is value


def test_words(monkeypatch):
    assert word(NAME, ("default",)) == ""
    monkeypatch.setenv(NAME, " Default")
    assert word(NAME, ("default",)) == "default"


def test_amounts(monkeypatch):
    assert amount(NAME, 3.0) == 3.0
    monkeypatch.setenv(NAME, "0.5")
    assert amount(NAME, 3.0) == 0.5


def test_folders(monkeypatch):
    assert folder(NAME) is True
    monkeypatch.setenv(NAME, "/some/where")
    assert folder(NAME) == Path("/some/where")
    monkeypatch.setenv("HOME", "/home/user")
    monkeypatch.setenv(NAME, "~/caches")
    assert folder(NAME) == Path("/home/user/caches")
    monkeypatch.setenv(NAME, "OFF")
    assert folder(NAME) is False


@pytest.mark.parametrize(("read", "text", "instead", "wanted"), [
    (lambda: switch(NAME, True), "ture", True, "is 1 or 0, not 'ture': 1 is taken"),
    (lambda: word(NAME, ("default", "measured")), "defualt", "",
     "is 'default' or 'measured', not 'defualt': it counts as not set"),
    (lambda: amount(NAME, 256), "-1", 256, "is a number that is not negative, not '-1'"),
    (lambda: amount(NAME, 256), "nan", 256, "is a number that is not negative, not 'nan'"),
    (lambda: folder(NAME), "0ff", False, "is 'off' or an absolute path, not '0ff'"),
], ids=["switch", "word", "negative", "nan", "folder"])  # fmt: skip
def test_a_misspelt_value_warns_by_name_once(monkeypatch, read, text, instead, wanted):
    monkeypatch.setenv(NAME, text)
    with pytest.warns(UserWarning, match=f"the environment variable {NAME} {wanted}"):
        assert read() == instead
    assert read() == instead
