"""Each call of the tables with its arguments by the names that PyTorch's documentation has."""

import ast
import re

import numpy as np
import pytest

import dynamicgrad as dg

from ..calls import CALLS, operands, results

SIGNATURE = r"(?:^|\n)\s*(?:\.\. \w+:: |torch\.|linalg\.)*{name}\((.*?)\) *(?:->|\n|$)"
SEVERAL = ("tensors", "size", "dims", "sizes", "shape", "repeats")  # that may be given one by one


def parameters(function, name):
    """The names of arguments in each signature that a docstring begins with."""
    found = re.findall(SIGNATURE.format(name=name), function.__doc__ or "")
    return [
        [p.split("=")[0].split(":")[0].strip(" *") for p in s.split(",") if p.strip(" ()*\\/")]
        for s in found
    ]


def by_keywords(torch, call):
    """A call with every argument by keyword, in each way that torch takes."""
    tree = ast.parse(call, mode="eval").body
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Attribute):
        return
    if any(isinstance(a, ast.Starred) for a in tree.args) or not (tree.args or tree.keywords):
        return
    owner, name = tree.func.value, tree.func.attr
    place = torch if getattr(owner, "id", "") == "t" else torch.Tensor
    if getattr(owner, "id", "") not in ("t", "x", "v"):
        return
    for names in parameters(getattr(place, name, None), name):
        if len(names) >= len(tree.args) and not set(names[: len(tree.args)]) & {"", "size"}:
            given = [ast.keyword(n, a) for n, a in zip(names, tree.args, strict=False)]
            text = ast.unparse(ast.Call(tree.func, [], given + tree.keywords))
            if text != call:
                yield text


def taken(library, text):
    """The results of a call, or the error that says it is none."""
    try:
        return [np.asarray(y.detach()) for y in results(text, operands(library))]
    except Exception as error:
        return error


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_arguments_have_pytorchs_names():
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    refused, count = [], 0
    for call in {call: None for calls in CALLS.values() for call in calls}:
        for text in by_keywords(torch, call):
            want = taken(torch, text)
            if isinstance(want, Exception):
                continue
            count += 1
            got = taken(dg, text)
            if isinstance(got, Exception) or [a.shape for a in got] != [a.shape for a in want]:
                refused.append(f"{text}: {got!r}"[:200])
    assert count > 200
    assert not refused, f"{len(refused)} of {count}\n" + "\n".join(refused)
