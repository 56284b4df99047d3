"""Bodies: what they capture and assign, and how they are written as text and in files."""

import pickle
import random
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gradops as ops
import staticgrad as sg
from gradops import GraphFormatError


def vector(shape=(3,), name="x"):
    return sg.placeholder("float64", shape, name=name)


def run(*fetches, **feeds):
    return sg.Session().run(list(fetches), feeds)


def test_what_does_not_change_is_computed_once(capsys):
    x = vector()
    z = sg.Print(ops.sin(x), message="once ")
    y = sg.fori(0, 5, lambda i, y: y * z, x)
    sg.compile([y, *sg.gradients(ops.sum(y), x)], [x])(np.ones(3))
    assert capsys.readouterr().err.count("once") == 1


def test_a_captured_array_is_broadcast_and_so_is_its_gradient():
    x, b = vector((2, 3)), vector((3,), "b")
    y = sg.fori(0, 3, lambda i, y: y * b + b[0], x)
    g = sg.gradients(ops.sum(y), b)[0]
    assert g.shape == (3,)
    step = 1e-6
    value = sg.compile(ops.sum(y), [x, b])
    data, base = np.ones((2, 3)), np.array([0.5, 1.0, 2.0])
    slopes = [(value(data, base + step * e) - value(data, base - step * e)) / (2 * step)
              for e in np.eye(3)]  # fmt: skip
    assert_allclose(sg.compile(g, [x, b])(data, base), slopes, rtol=1e-6)


def test_a_body_uses_the_values_of_the_bodies_around_it():
    x = vector()
    inner = lambda a: sg.foldl(lambda s, e: s + e * a, x, 0.0)
    y = sg.foldl(lambda a, e: a + inner(a) * e, x, 1.0)
    total, wanted = 6.0, 1.0
    for e in (1.0, 2.0, 3.0):
        wanted += total * wanted * e
    assert sg.compile(y, [x])([1.0, 2.0, 3.0]) == wanted


def test_an_assignment_in_a_loop_is_seen_by_the_next_step_and_after():
    v = sg.Variable(1.0, name="v")
    before = v * 1

    def body(i, total):
        seen = v * 1
        v.assign(v * 2)
        return i + 1, total + seen + v * 10

    _, total = sg.while_loop(lambda i, t: i < 3, body, [0, 0.0])
    assert run(before, total, v * 1, v) == [1, 7 + 140, 8, 8]


def test_an_assignment_happens_whichever_result_is_read():
    v, session = sg.Variable(0.0), sg.Session()
    body = lambda i, k: (v.assign_add(1.0), (i + 1, k))[1]
    _, k = sg.while_loop(lambda i, k: i < 4, body, [0, 5])
    assert (session.run(k), session.run(v)) == (5, 4)


def test_only_the_branch_that_is_taken_assigns():
    v, session = sg.Variable(1.0), sg.Session()
    p = sg.placeholder("bool", [], name="p")
    y = sg.cond(p, lambda: v.assign(5.0), lambda: v * 1)
    assert session.run([y, v], {p: False}) == [1, 1]
    assert session.run([y, v], {p: True}) == [5, 5]


def test_functions_may_give_nothing_but_effects():
    v, session = sg.Variable(1.0), sg.Session()
    p = sg.placeholder("bool", [], name="p")
    change = sg.cond(p, lambda: sg.group(v.assign_add(5.0)), lambda: sg.no_op())
    for truth, value in ((False, 1), (True, 6), (True, 11)):
        assert session.run(change, {p: truth}) is None
        assert session.run(v) == value


def test_assignments_in_a_branch_in_a_loop_in_a_loop_keep_their_order():
    v, w, session = sg.Variable(0.0), sg.Variable(0.0), sg.Session()
    x = sg.placeholder("float32", [4], name="x")
    turn = lambda e: sg.cond(e > 0, lambda: v.assign_add(e), lambda: w.assign(w + v))

    def outer(i, total):
        return i + 1, total + sg.foldl(lambda a, e: a + turn(e), x, 0.0)

    _, total = sg.while_loop(lambda i, t: i < 2, outer, [0, 0.0])
    a = b = wanted = 0.0
    for e in [1.0, -2.0, 3.0, -4.0] * 2:
        a, b = (a + e, b) if e > 0 else (a, b + a)
        wanted += a if e > 0 else b
    assert session.run([total, v, w], {x: [1.0, -2.0, 3.0, -4.0]}) == [wanted, a, b]


def test_a_gradient_passes_through_a_variable_that_is_assigned_in_the_loop():
    v, x = sg.Variable(2.0), sg.placeholder("float32", [], name="x")
    y = sg.fori(0, 3, lambda i, y: (v.assign(v * x), y * v)[1], x)
    found = sg.Session().run([y, *sg.gradients(y, [x, v])], {x: 1.5})
    assert_allclose(found, [8 * 1.5**7, 8 * 7 * 1.5**6, 12 * 1.5**7])


def test_a_run_that_fails_in_a_step_assigns_nothing():
    v, session = sg.Variable(0.0), sg.Session()

    def body(i):
        v.assign_add(1.0)
        with sg.control_dependencies([sg.Assert(i < 2)]):
            return i + 1

    with pytest.raises(AssertionError):
        session.run(sg.while_loop(lambda i: i < 4, body, [0]))
    assert session.run(v) == 0


def test_a_variable_that_is_fed_stays_as_it_is():
    v, session = sg.Variable(1.0), sg.Session()
    body = lambda i, total: (v.assign_add(2.0), (i + 1, total + v))[1]
    _, total = sg.while_loop(lambda i, t: i < 3, body, [0, 0.0])
    assert session.run(total, {v: 10.0}) == 12 + 14 + 16
    assert session.run(v) == 1


def small():
    """A graph of a loop and a branch, with a gradient."""
    x = vector(["n"])
    y = sg.scan(lambda a, e: sg.cond(e > 0, lambda: a * e, lambda: a - e), x, 0.5)
    return sg.freeze([y, *sg.gradients(ops.sum(y), x)], [x])


def test_the_text_of_a_loop_has_its_body_first():
    x = vector()
    text = sg.to_text(sg.freeze(sg.fori(0, 2, lambda i, y: y * x, x), [x]), lines=False)
    assert (
        text
        == """graph body(fori/state: float64[3], fori/entry: int64[], x: float64[3])
  fori/mul: float64[3] = mul(fori/state, x)
  return fori/mul

graph(x: float64[3])
  constant: int64[2] = constant([0, 1])
  fori/loop: (float64[3],) = loop(x, constant, x, cond=None, carries=1, lists=1, gives=0, \
reverse=False, recompute=False, body=@body)
  fori/part: float64[3] = part(fori/loop, index=0)
  return fori/part"""
    )


def test_text_files_and_pickles_give_the_graph_again(tmp_path):
    graph, feed = small(), np.arange(-2.0, 3.0)
    sg.save(graph, tmp_path / "model")
    for again in (sg.parse(str(graph)), sg.load(tmp_path / "model"),
                  pickle.loads(pickle.dumps(graph))):  # fmt: skip
        assert again == graph
        assert all(map(np.array_equal, sg.interpret(again, [feed]), sg.interpret(graph, [feed])))


def test_a_graph_that_was_loaded_is_differentiated():
    graph, feed = small(), np.arange(-2.0, 3.0) + 0.3
    z = vector([5], "z")
    y, g = sg.parse(str(graph))(z)
    fetches = [*sg.gradients(ops.sum(y), z), *sg.gradients(ops.sum(g * y), z)]
    first, second = sg.compile(fetches, [z])(feed)
    assert_allclose(first, sg.interpret(graph, [feed])[1])
    value = lambda x: np.sum(np.multiply(*sg.interpret(graph, [x])))
    slopes = [(value(feed + 1e-6 * e) - value(feed - 1e-6 * e)) / 2e-6 for e in np.eye(5)]
    assert_allclose(second, slopes, rtol=1e-6)


HOSTILE = {
    "a graph that is not there": ("@body", "@other"),
    "a graph within itself": ("return fori/mul", "z: (float64[3],) = call(x, function=@body)\n"
                              "  return fori/mul"),
    "a body of another type": ("fori/state: float64[3]", "fori/state: float32[3]"),
    "a body of another shape": ("fori/state: float64[3]", "fori/state: float64[4]"),
    "too few operands": ("loop(x, constant, x,", "loop(x, constant,"),
    "too many results": ("gives=0", "gives=7"),
    "a negative number of results": ("gives=0", "gives=-1"),
    "more state than there is": ("carries=1", "carries=3"),
    "a number for a graph": ("body=@body", "body=3"),
    "no body": (", body=@body", ""),
    "a condition that is none": ("cond=None", "cond=@body"),
    "a part that there is not": ("index=0", "index=1"),
    "a part of an array": ("part(fori/loop,", "part(x,"),
    "state that changes its type": ("return fori/mul", "return fori/entry"),
    "two graphs of one name": ("graph(x", "graph body(x: float32[])\n  return x\n\ngraph(x"),
    "another type of the whole": ("(float64[3],) = loop", "(float64[4],) = loop"),
    "one value for several": ("(float64[3],) = loop", "float64[3] = loop"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_text_that_describes_no_loop_is_refused(case):
    x = vector()
    text = sg.to_text(sg.freeze(sg.fori(0, 2, lambda i, y: y * x, x), [x]), lines=False)
    old, new = HOSTILE[case]
    assert old in text
    with pytest.raises(GraphFormatError):
        sg.parse(text.replace(old, new, 1))


def test_a_text_with_words_exchanged_is_a_graph_or_a_format_error():
    text = sg.to_text(small(), lines=False)
    words = re.findall(r"[\w./]+|[^\w\s]|\s+", text)
    places = [i for i, word in enumerate(words) if word.strip()]
    rng = random.Random(0)
    for _ in range(500):
        changed = list(words)
        for _ in range(rng.choice([1, 1, 2])):
            changed[rng.choice(places)] = changed[rng.choice(places)] * rng.choice([0, 1, 1, 1])
        try:
            sg.parse("".join(changed))
        except GraphFormatError:
            continue


def test_graphs_that_stand_in_one_another_many_times_are_compiled_once_each():
    text = "graph f0(x: float32[])\n  y: float32[] = tanh(x)\n  return y\n\n"
    for i in range(1, 25):
        text += (
            f"graph f{i}(x: float32[])\n  a: (float32[],) = call(x, function=@f{i - 1})\n"
            "  b: float32[] = part(a, index=0)\n"
            f"  c: (float32[],) = call(b, function=@f{i // 2})\n"
            "  d: float32[] = part(c, index=0)\n  return d\n\n"
        )
    text += "graph(x: float32[])\n  a: (float32[],) = call(x, function=@f24)\n"
    graph = sg.parse(text + "  b: float32[] = part(a, index=0)\n  return b")
    assert len(sg.compile(graph).source.split("def ")) == 27
