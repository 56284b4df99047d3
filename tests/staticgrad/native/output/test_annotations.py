"""IR and assembly name the ops and the user's lines, and are the code that runs."""

import inspect
import re

import numpy as np
import pytest

import staticgrad as sg
from gradops.native.runtime.machine import assembly_of, compiled

pytest.importorskip("llvmlite")


def line_here():
    """The line of the caller, as comments show it."""
    return f"test_annotations.py:{inspect.currentframe().f_back.f_lineno}"


def program():
    """A graph with a product, a nest, a loop, a shared loop and a kernel, and their lines."""
    x = sg.placeholder("float64", [40, 30], name="x")
    lines = {}
    y, lines["matmul"] = sg.transpose(x) @ x, line_here()
    z, lines["tanh"] = sg.tanh(y), line_here()
    s, lines["sort"] = sg.sort(z, axis=-1), line_here()
    big = sg.zeros([1000, 30], "float64") + z[0]

    def step(state, row):
        lines["sin"] = line_here()
        return sg.sin(state) + row  # the line before is this one's

    states = sg.scan(step, x, z[0])
    total, lines["exp"] = sg.reduce_sum(sg.exp(big * sg.reduce_sum(x)), axis=0), line_here()
    return sg.compile([s, states, total], [x], backend="native"), lines


def instructions(assembly):
    """The instructions, without labels and directives."""
    lines = [line.split("#")[0].strip() for line in assembly.split("\n")]
    kept = [line for line in lines if line and line[0] not in ".#@" and not line.endswith(":")]
    return [re.sub(r"\.L\w+", "label", line) for line in kept]


@pytest.fixture(scope="module")
def annotated():
    with sg.Graph().as_default():
        return program()


@pytest.mark.parametrize("text", ["ir", "assembly"])
def test_texts_name_the_ops_with_the_lines(annotated, text):
    executable, lines = annotated
    comments = [
        line for line in getattr(executable, text).split("\n")
        if line.strip().startswith((";", "#", "//"))
    ]  # fmt: skip
    for op in ("matmul", "tanh", "sort"):
        assert any(op in comment and lines[op] in comment for comment in comments), op
    assert any("sum" in comment and lines["exp"] in comment for comment in comments)
    file, number = lines["sin"].split(":")
    assert any(f"{file}:{int(number) + 1}" in comment for comment in comments)


def test_comments_change_no_instruction(annotated):
    executable, _ = annotated
    written = executable.native.written
    plain = "\n".join(assembly_of(module.text, module.passes) for module in written.modules)
    assert instructions(executable.assembly) == instructions(plain)
    assert compiled(executable.ir) == compiled(written.text)


def test_the_text_that_is_compiled_knows_no_lines():
    texts, irs = [], []
    for build in (
        lambda x: sg.exp(x) * 2.0,
        lambda x: sg.exp(x, name="other") * 2.0,
    ):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", [3], name="x")
            f = sg.compile(build(x), [x], backend="native")
            texts.append(f.native.written.text)
            irs.append(f.ir)
    assert texts[0] == texts[1]
    assert irs[0] != irs[1]


def test_names_of_users_end_no_comment():
    x = sg.placeholder("float64", [3], name="x")
    y = sg.exp(x, name="exp/a.b-c") * 2.0
    f = sg.compile([y, sg.sort(y)], [x], backend="native")
    np.testing.assert_allclose(f(np.zeros(3))[0], 2.0)
    assert compiled(f.ir) == compiled(f.native.written.text)


def test_the_texts_of_kept_code_are_written_when_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", str(tmp_path))
    found = []
    for _ in range(2):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", [3], name="x")
            found.append(sg.compile(sg.exp(x), [x], backend="native"))
    assert "written" not in vars(found[1].native)
    assert "exp" in found[1].ir
    assert found[1].assembly == found[0].assembly
