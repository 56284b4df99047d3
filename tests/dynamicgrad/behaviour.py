"""Tables of behaviours: small programs, written once, that dynamicgrad and torch must agree on."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import dynamicgrad as dg

Program = Callable[[Any], Any]


class Table:
    """Programs of a library with PyTorch's names, and what they give or how they fail."""

    def __init__(self) -> None:
        self.rows: list[tuple[Program, Any, str]] = []

    def gives(self, wanted: Any) -> Callable[[Program], Program]:
        """The program returns this."""
        return lambda program: self.row(program, wanted, "")

    def refuses(self, phrase: str) -> Callable[[Program], Program]:
        """The program raises an error whose text has this phrase, in torch too."""
        return lambda program: self.row(program, None, phrase)

    def row(self, program: Program, wanted: Any, phrase: str) -> Program:
        """Add a program to the table."""
        self.rows.append((program, wanted, phrase))
        return program

    def tests(self) -> tuple[Any, Any]:
        """A test of dynamicgrad, and one beside torch that the table says what torch does."""
        cases = pytest.mark.parametrize(
            ("program", "wanted", "phrase"), self.rows, ids=[p.__name__ for p, _, _ in self.rows]
        )

        @cases
        def test(program, wanted, phrase):
            check(dg, program, wanted, phrase)

        @pytest.mark.peers
        @cases
        def test_beside_torch(program, wanted, phrase):
            torch = pytest.importorskip("torch", reason="torch is the oracle")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(torch, program, wanted, phrase)

        return test, test_beside_torch


def check(library: Any, program: Program, wanted: Any, phrase: str) -> None:
    """Run a program, and compare what it does with what it should."""
    if phrase:
        with pytest.raises(Exception, match=re.escape(phrase)):
            program(library)
    else:
        assert plain(program(library)) == plain(wanted)


def plain(x: Any) -> Any:
    """Tuples as lists, in which they compare."""
    return [plain(item) for item in x] if isinstance(x, list | tuple) else x
