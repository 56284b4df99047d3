"""Hints: what they name exists, and none advises what loses the gradient."""

import ast
import builtins
import re
from pathlib import Path

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from dynamicgrad.autograd import forward_ad
from gradops.numpy_api import missing, numpy_hints, signatures

ROOT = Path(__file__).parents[2]
SPACES = {
    "np": np, "dg": dg, "sg": sg, "gradops": gradops, "dynamicgrad": dg, "staticgrad": sg,
}  # fmt: skip
OWNERS = (
    dg, sg, np, gradops, builtins, dg.Tensor, dg.Array, sg.Expr, sg.Session, sg.Graph, gradops.Op,
    dg.nn, dg.nn.Module, dg.optim, dg.autograd, forward_ad, sg.train, sg.nn, sg.layers,
    sg.onnx.ImportedModel,
)  # fmt: skip
FOREIGN = {"Bounds", "main", "f"}  # of scipy.optimize, of a program
LOSING = re.compile(r"\bdetach\(|\bitem\(\)|\bnumpy\(\)|\.value\b|stop_gradient")
ASKED_FOR = re.compile(
    r"item\(\) says that|are cut off from them|item\(\) on what the call returns"
)
"""Where a program asks for a number: what says that it is meant, and what cuts off."""


def text_of(node):
    """A string in the source, with a blank for what is filled in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(v) or "\0" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None or right is None else left + right
    return None


def skipped(tree):
    """The nodes that are docstrings, or parts of longer strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from node.values
        elif isinstance(body := getattr(node, "body", None), list):
            yield from (s.value for s in body if isinstance(s, ast.Expr))


def hint_nodes(call):
    """The arguments of a call that are hints."""
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "hint")
    name = getattr(call.func, "id", "")
    if name == "refusal":
        yield from call.args[2:3]
    if name == "in_place":
        yield from call.args[1:2]


def texts():
    """All strings of the packages, each with its place and whether it is a hint."""
    for package in ("gradops", "dynamicgrad", "staticgrad"):
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text())
            left_out = set(map(id, skipped(tree)))
            calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
            hints = {id(node) for call in calls for node in hint_nodes(call)}
            for node in ast.walk(tree):
                if id(node) not in left_out and (text := text_of(node)):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text, id(node) in hints


TEXTS = list(texts())


def tables():
    """The hints in tables of what is not here."""
    yield from ((f"absent: {names}", hint) for (_, hint), names in missing.TABLE.items())
    yield "absent", missing.UNKNOWN[1]
    yield from signatures.INSTEAD.items()
    yield from ((f"instead: {row.shown}", row.hint) for row in numpy_hints.ROWS)
    yield from dg.names.missing_names.INSTEAD.items()
    yield from sg.missing_names.INSTEAD.items()
    yield from sg.missing_names.ATTRIBUTES.items()
    for found in sg.missing_names.IN_MODULES.values():
        yield from found.items()


def hints():
    """All hints, each with its place."""
    for place, text, is_hint in TEXTS:
        if is_hint or "hint: " in text:
            yield place, text.split("hint: ")[-1]
    yield from tables()


HINTS = list(hints())


def exists(name):
    """Whether a dotted name is one of the packages or of NumPy."""
    space, *parts = name.split(".")
    owner = SPACES[space]
    for part in parts:
        if not hasattr(owner, part):
            path = ROOT / name.replace(".", "/")  # of a module that nothing has imported yet
            return path.is_dir() or path.with_suffix(".py").exists()
        owner = getattr(owner, part)
    return True


def test_there_are_hints():
    assert len(HINTS) > 250


def test_every_dotted_name_in_a_message_exists():
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(SPACES)})(?:\.[A-Za-z_]\w*)+")
    found = [(place, text) for place, text, _ in TEXTS] + HINTS
    missing = [
        f"{place}: {name} in {text!r}"
        for place, text in found
        for name in pattern.findall(text)
        if not exists(name) and not name.endswith(".md")
    ]
    assert not missing


def test_every_function_that_a_hint_names_exists():
    pattern = re.compile(r"(?<![\w.\0])([A-Za-z_]\w*)\(")
    missing = [
        f"{place}: {name}() in {hint!r}"
        for place, hint in HINTS
        for name in pattern.findall(hint)
        if name not in FOREIGN and not any(hasattr(owner, name) for owner in OWNERS)
    ]
    assert not missing


@pytest.mark.parametrize(("place", "hint"), HINTS)
def test_no_hint_advises_what_loses_the_gradient(place, hint):
    assert not LOSING.search(hint) or ASKED_FOR.search(hint)


def test_what_is_missing_leads_to_what_does_the_same():
    for owner in (sg, sg.layers):
        with pytest.raises(AttributeError, match=r"initializers\.glorot_uniform"):
            owner.xavier_initializer  # noqa: B018
    with pytest.raises(AttributeError, match=r"sg\.Print"):
        sg.print  # noqa: B018


def test_the_page_on_plain_numpy_says_what_the_errors_say():
    page = (ROOT / "docs/how-to/plain-numpy.md").read_text().replace("`", "")
    missing = [row.shown for row in numpy_hints.ROWS if f"| {row.shown} | {row.hint} |" not in page]
    assert not missing
