"""The report of memory: what is predicted is measured, and the plan is near its bound."""

import json

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError

rng = np.random.default_rng(0)


def feeds_of(inputs):
    return [rng.standard_normal(e.shape).astype(e.dtype) * 0.1 for e in inputs]


def elementwise():
    xs = [sg.placeholder("float32", [300_000]) for _ in range(3)]
    a, b, c = xs
    y = sg.reduce_sum(sg.tanh(a * b) + c * sg.exp(-(a * a)))
    return xs, [y, *sg.gradients(y, xs)]


def layers():
    sizes = [(200, 400), (400, 500), (500, 10)]
    x, *ws = xs = [sg.placeholder("float32", s) for s in ((300, 200), *sizes)]
    for w in ws[:-1]:
        x = sg.nn.relu(x @ w)
    y = sg.reduce_mean(sg.square(x @ ws[-1]))
    return xs, [y, *(w - 0.1 * g for w, g in zip(ws, sg.gradients(y, ws), strict=True))]


def mixture():
    x, means, roots = xs = [sg.placeholder("float64", s) for s in ((300, 32), (9, 32), (9, 32, 32))]
    z = sg.matmul(sg.expand_dims(x, 0) - sg.expand_dims(means, 1), roots)
    y = sg.reduce_sum(sg.reduce_logsumexp(-0.5 * sg.reduce_sum(z * z, axis=2), axis=0))
    return xs, [y, *sg.gradients(y, [means, roots])]


def recurrent():
    x, w, u = xs = [sg.placeholder("float32", s) for s in ((80, 64, 64), (64, 64), (64, 64))]
    h = sg.scan(lambda h, v: sg.tanh(h @ w + v @ u), x, sg.zeros((64, 64)))
    y = sg.reduce_sum(h * h)
    return xs, [y, *sg.gradients(y, [w, u])]


def lstm():
    x = sg.placeholder("float32", (60, 32, 64))
    y = sg.layers.lstm(x, 64, time_major=True)[0]
    loss = sg.reduce_mean(y * y)
    return [x], [loss, *sg.gradients(loss, [x])]


def many_arrays():
    x = sg.placeholder("float64", [20_000])
    waves = [sg.sin(x * k) for k in range(1, 50)]
    total = sg.add_n(waves)
    y = sg.add_n([wave * total for wave in waves])
    return [x], [sg.concat([y] * 30, 0)]


MODELS = [elementwise, layers, mixture, recurrent, lstm, many_arrays]


def compiled(model):
    inputs, outputs = model()
    graph = sg.freeze(outputs, inputs, values=sg.Session().snapshot())
    return sg.compile(graph), feeds_of(inputs)


@pytest.mark.parametrize("model", MODELS)
def test_the_peak_of_a_run_is_what_was_predicted(model):
    f, feeds = compiled(model)
    report = f.report.measure(*feeds)
    assert report.predicted_peak == f.report.predicted_peak
    assert abs(report.measured_peak / report.predicted_peak - 1) < 0.01


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("differentiated", [False, True])
def test_the_peak_of_triangular_solves_is_what_was_predicted(dtype, differentiated):
    l, x = sg.placeholder(dtype, [25, 32, 32]), sg.placeholder(dtype, [25, 32, 500])
    z = sg.matrix_triangular_solve(l, x)
    y = sg.reduce_sum(z * z)
    f = sg.compile([y, *(sg.gradients(y, [l, x]) if differentiated else [])], [l, x], optimize=1)
    factors = np.tril(rng.standard_normal(l.shape) * 0.1) + np.eye(32)
    report = f.report.measure(factors.astype(dtype), rng.standard_normal(x.shape).astype(dtype))
    assert abs(report.measured_peak / report.predicted_peak - 1) < 0.01


@pytest.mark.parametrize("model", MODELS)
def test_the_plan_takes_little_more_than_is_in_use_at_once(model):
    report = compiled(model)[0].report
    assert report.arena_bound <= report.arena <= 1.05 * report.arena_bound + 1024
    assert report.lower_bound <= report.predicted_peak <= report.unshared + 1024


def test_many_buffers_that_are_in_use_before_a_result_are_not_kept():
    report = compiled(many_arrays)[0].report
    assert report.predicted_peak <= 1.05 * report.lower_bound


@pytest.mark.parametrize("model", MODELS)
def test_buffers_of_the_arena_do_not_overlap_while_they_are_in_use(model):
    rows = [row for row in compiled(model)[0].report.buffers if row.kind == "arena"]
    for i, a in enumerate(rows):
        for b in rows[:i]:
            apart = a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
            assert apart or a.last < b.first or b.last < a.first or a.function != b.function


def test_the_arena_of_assumed_sizes_has_room_for_its_buffers():
    x = sg.placeholder("float64", ["n", 100], name="x")
    report = sg.compile(sg.reduce_sum(sg.exp(x) @ sg.transpose(sg.sin(x))), [x]).report
    assert report.arena >= report.arena_bound >= 2 * 64 * 100 * 8
    assert max(b.offset + b.bytes for b in report.buffers if b.kind == "arena") <= report.arena


def test_a_report_is_for_the_sizes_run_last_or_those_given():
    x = sg.placeholder("float64", ["n", 100], name="x")
    f = sg.compile(sg.reduce_sum(sg.exp(x) @ sg.transpose(sg.sin(x))), [x])
    assert f.report.assumed == ("n",)
    assert "(assumed)" in str(f.report)
    f(np.ones((30, 100)))
    f(np.ones((70, 100)))
    assert (f.report.sizes, f.report.assumed) == ({"n": 70}, ())
    assert f.report.at(n=30).sizes == {"n": 30}
    assert f.report.at(n=30).arena < f.report.arena
    assert f.report.at(n=0).arena_bound == 0
    with pytest.raises(OptionError, match=r"no dimension is called 'm'.*\n.*n"):
        f.report.at(m=3)


def test_a_report_is_text_and_json():
    f, feeds = compiled(layers)
    report = f.report.measure(*feeds)
    text = str(report)
    assert f"measured {report.measured_peak / 1e6:.2f} MB" in text
    assert "test_memory_report.py:" in text
    facts = json.loads(report.to_json())
    assert facts["predicted_peak"] == report.predicted_peak
    assert facts["buffers"][0]["bytes"] == report.buffers[0].bytes
    assert report.fetched == sum(np.asarray(y).nbytes for y in f(*feeds))


def test_rows_name_the_values_that_share_memory():
    x = sg.placeholder("float64", [1000], name="x")
    y = sg.tanh(sg.exp(x, name="first"), name="second")
    (row,) = [r for r in sg.compile(sg.reduce_sum(y), [x]).report.buffers if r.kind == "arena"]
    assert (row.name, row.bytes, row.offset) == ("first, second", 8000, 0)


def test_functions_inside_one_another_are_counted_once_each():
    step = sg.placeholder("float64", [1000], name="x")

    def nested(depth, x):
        if not depth:
            return sg.exp(x)
        return sg.map_fn(lambda v: nested(depth - 1, v), sg.stack([x, x]))[0]

    f = sg.compile(sg.reduce_sum(nested(4, step)), [step])
    report = f.report.measure(np.ones(1000))
    assert {row.function for row in report.buffers} <= {*f.emitted.plans}
    assert report.predicted_peak > 0


def test_a_graph_without_arrays_has_an_empty_report():
    x = sg.placeholder("float64", name="x")
    report = sg.compile(x * 2, [x]).report
    assert (report.arena, report.assumed) == (0, ())
    assert report.predicted_peak < 100


def test_a_loop_with_a_condition_is_counted_by_its_body():
    x = sg.placeholder("float64", [1000])
    _, y = sg.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, sg.sin(s)), [0, x])
    run = sg.compile([y, *sg.gradients(sg.reduce_sum(y), [x])], [x])
    run(np.ones(1000))
    assert run.report.predicted_peak >= 3 * 8000  # the state before each step
