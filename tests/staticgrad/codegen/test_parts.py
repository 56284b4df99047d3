"""Long functions are generated in parts, with the same values, lines and lifetimes."""

import inspect
import traceback
import tracemalloc

import numpy as np
import pytest

import staticgrad as sg
from gradops import LinAlgError, ShapeError


@pytest.fixture
def short(monkeypatch):
    """Parts of at least two lines."""
    monkeypatch.setattr("staticgrad.codegen.writer.LONG", 4)
    monkeypatch.setattr("staticgrad.codegen.parts.PART", 2)
    monkeypatch.setattr("staticgrad.codegen.load.PART", 2)


def many(x, count=20):
    """Values that are read soon and values that are read late."""
    ys = [x]
    for i in range(count):
        ys.append(np.sin(ys[-1]) * ys[i // 3])
    return ys[-1] + ys[1]


def test_parts_give_the_values_of_one_function(short):
    x = sg.placeholder("float64", ["n", 3], name="x")
    y = many(x)
    graph = sg.freeze([y, *sg.gradients(y, x)], [x])
    f, a = sg.compile(graph), np.linspace(-1, 1, 600).reshape(200, 3)
    assert f.source.count("def ") > 10
    for found, expected in zip(f(a), sg.interpret(graph, [a]), strict=True):
        assert found.tobytes() == expected.tobytes()


def test_a_usual_graph_is_one_function():
    x = sg.placeholder("float64", [3], name="x")
    assert sg.compile(many(x, 500), [x]).source.count("def ") == 1


def test_a_long_one_is_not():
    x = sg.placeholder("float64", [], name="x")
    f = sg.compile(many(x, 3000), [x])
    assert 5 <= f.source.count("def ") <= 8
    assert f(0.5) == many(np.float64(0.5), 3000)


def test_parts_need_no_more_memory(monkeypatch):
    """What a part takes is held by nothing else, so `del` frees it."""
    monkeypatch.setattr("staticgrad.codegen.memory.buffers.WORTHWHILE", 1 << 60)
    x = sg.placeholder("float64", [10_000], name="x")
    y = many(x)
    graph, a = sg.freeze([y, *sg.gradients(y, x)], [x]), np.ones(10_000)
    whole = peak(sg.compile(graph), a)
    monkeypatch.setattr("staticgrad.codegen.writer.LONG", 4)
    monkeypatch.setattr("staticgrad.codegen.parts.PART", 2)
    assert peak(sg.compile(graph), a) < 1.02 * whole


def peak(f, a):
    f(a)
    tracemalloc.start()
    f(a)
    result = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result


def test_an_error_in_a_part_names_the_users_line(short):
    x = sg.placeholder("float64", ["n"], name="x")
    y = many(x)
    z = sg.reshape(y, [2, 3])  # this line
    f = sg.compile(np.sin(z) + 1, [x])
    with pytest.raises(ShapeError) as caught:
        f(np.ones(4))
    assert "# this line" in "".join(caught.value.__notes__)
    shown = "".join(traceback.format_exception(caught.value.__cause__))
    assert f"    reshape_{f.source.split('reshape_')[1].split(' ')[0]} = " in shown


def test_lines_of_parts_are_those_of_the_document(short):
    x = sg.placeholder("float64", [3], name="x")
    f = sg.compile(many(x), [x])
    lines = f.source.splitlines(keepends=True)
    for i, line in enumerate(lines):
        if line.startswith("def run("):
            assert inspect.getsource(f.run) == "".join(lines[i:])
            assert f.run.__code__.co_firstlineno == i + 1
    for part in f.run.__kwdefaults__.values():
        first = part.__code__.co_firstlineno
        assert lines[first - 1].startswith(f"def {part.__name__}(")
        assert inspect.getsource(part).splitlines()[0] == lines[first - 1].rstrip()


def test_sizes_and_loops_are_known_in_all_parts(short):
    x = sg.placeholder("float64", ["n", 2], name="x")
    start = np.sin(x)
    y = sg.scan(lambda c, row: many(c + row, 5), start, start[0])
    z = sg.reshape(np.cos(y[-1]) + many(start, 8), [sg.shape(x)[0] * 2])
    f = sg.compile([*sg.gradients(z, x), z], [x])
    a = np.linspace(0, 1, 8).reshape(4, 2)
    for found, expected in zip(f(a), sg.interpret(f.written, [a]), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_text_that_looks_like_a_name_does_no_harm(short):
    x = sg.placeholder("float64", [], name="x")
    with sg.control_dependencies([sg.Assert(x > 0, message="sin_9 frame pool")]):
        y = many(np.sin(x))
    assert sg.compile(y, [x])(1.0) == many(np.sin(np.float64(1.0)))


def test_a_function_without_a_body_has_no_parts():
    xs = [sg.placeholder("float64", [1], name=f"x{i}") for i in range(1500)]
    f = sg.compile(xs, xs)
    assert f.source.count("def ") == 1
    assert [a.item() for a in f(*[np.full(1, i, float) for i in range(1500)])] == [*range(1500)]


def test_a_loop_is_inside_one_part(short):
    x = sg.placeholder("float64", [4], name="x")
    states = sg.scan(lambda c, row: many(c * row, 4), np.sin(x), x[0])
    f = sg.compile(many(states, 4), [x])
    a = np.linspace(0.1, 1, 4)
    np.testing.assert_allclose(f(a), sg.interpret(f.written, [a])[0], rtol=1e-14)


def test_an_error_is_that_of_its_line_where_comments_name_sizes(short):
    """The text has the lines of the code that runs, which is written without comments."""
    x = sg.placeholder("float64", ["n", 2, 2], name="x")
    y = sg.linalg.inv(many(np.sum(x, 1, keepdims=True) * x))
    f = sg.compile([y, *sg.gradients(np.sum(y, 1), x)], [x], optimize=0)
    with pytest.raises(LinAlgError) as caught:
        f(np.zeros((3, 2, 2)))
    assert any("in inv: float64[n, 2, 2]" in note for note in caught.value.__notes__)
