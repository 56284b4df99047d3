"""The buffer plan: what is kept between calls, what shares memory, and what must not."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.traits import Trait
from gradops.core.types import type_of
from gradops.testing.cases import cases
from staticgrad.codegen.memory.buffers import plan_buffers
from staticgrad.codegen.memory.lifetimes import may_be_view

from ...native.random_layouts import reversed_everywhere, spread, transposed

CASES = [pytest.param(case, id=str(case)) for op in gradops.OPS.values() for case in cases(op)]


@pytest.fixture
def x():
    return sg.placeholder("float64", [100, 100], name="x")


def planned(e, *feeds):
    frozen = sg.freeze(e, feeds)
    plan = plan_buffers(frozen)
    return {e.what: slot for e, slot in plan.slots.items()}, plan


def test_a_chain_of_elementwise_ops_needs_one_buffer(x):
    slots, plan = planned(sg.reduce_sum(sg.tanh(sg.exp(sg.sin(x)))), x)
    assert slots == {"sin": 0, "exp": 0, "tanh": 0}
    assert [str(t) for t in plan.types] == ["float64[100, 100]"]


def test_what_is_still_needed_is_not_overwritten(x):
    y = sg.exp(x)
    slots, _ = planned(sg.reduce_sum(sg.sin(y) * y), x)
    assert slots["exp"] != slots["sin"]


def test_only_an_elementwise_op_writes_over_its_operand(x):
    slots, _ = planned(sg.reduce_sum(sg.sin(sg.exp(x) @ x)), x)
    assert slots["exp"] != slots["matmul"]
    assert slots["sin"] == slots["matmul"]


def test_a_view_keeps_its_memory_alive(x):
    view = sg.transpose(sg.exp(x))
    slots, _ = planned(sg.reduce_sum(sg.sin(x) * view), x)
    assert slots["exp"] != slots["sin"]


def test_results_and_what_they_are_views_of_get_no_buffer(x):
    y = sg.exp(x)
    slots, _ = planned([sg.tanh(x), sg.reshape(y, shape=(-1,)), sg.reduce_sum(y)], x)
    assert slots == {}


def test_small_arrays_get_no_buffer():
    x = sg.placeholder("float64", [10], name="x")
    assert planned(sg.reduce_sum(sg.exp(x)), x)[0] == {}


def test_a_size_that_only_data_tell_gets_no_buffer():
    x = sg.placeholder("float64", ["n", 300], name="x")
    chosen = x[x[:, 0] > 0]
    y = sg.tanh(chosen @ np.ones((300, 300)))
    assert "matmul" not in planned(sg.reduce_sum(y), x)[0]
    assert sg.compile(sg.gradients(y, x), [x])(np.ones((5, 300)))[0].shape == (5, 300)


def test_a_value_has_the_layout_in_a_buffer_that_it_has_anyway():
    x = sg.placeholder("float64", [40, 60], name="x")
    y = sg.exp(sg.transpose(x))
    f = sg.compile(sg.reduce_sum(y, axis=0), [x])
    assert "np.exp(transpose_1, out=b0)" in f.source
    feed = np.random.default_rng(0).random((40, 60))
    assert np.array_equal(f(feed), np.add.reduce(np.exp(feed.T), axis=0))


def test_a_value_whose_layout_is_not_certain_gets_no_buffer(x):
    slots, _ = planned(sg.reduce_sum(sg.exp(sg.transpose(x) + x)), x)
    assert slots == {}


def test_a_stack_of_products_has_the_layout_of_its_operands():
    x = sg.placeholder("float32", [40, 30, 20, 10], name="x")
    y = sg.transpose(x, axes=(1, 0, 2, 3)) @ np.ones((30, 40, 10, 8), np.float32)
    assert "matmul" not in planned(sg.reduce_sum(y), x)[0]


def test_buffers_are_kept_for_some_sizes_only():
    x = sg.placeholder("float64", ["n"], name="x")
    f = sg.compile(sg.reduce_sum(sg.exp(sg.exp(x))), [x])
    for n in range(1000, 1100):
        f(np.zeros(n))
    assert len(f.run.__globals__["pools"]) < 20


def test_two_sizes_at_once_have_buffers_of_their_own():
    x = sg.placeholder("float64", ["n", "m"], name="x")
    f = sg.compile(sg.reduce_sum(sg.exp(x) @ sg.transpose(sg.exp(x))), [x])
    for shape in ((50, 7), (7, 50), (50, 7)):
        assert f(np.zeros(shape)) == shape[0] ** 2 * shape[1]


def test_a_failed_call_does_not_spoil_the_next():
    x = sg.placeholder("float64", ["n", 400], name="x")
    i = sg.placeholder("int64", name="i")
    f = sg.compile(sg.reduce_sum(sg.exp(x)[i]), [x, i])
    feed = np.zeros((3, 400))
    assert f(feed, 1) == 400
    with pytest.raises(IndexError):
        f(feed, 3)
    assert f(feed, 2) == 400


@pytest.mark.parametrize("case", CASES)
def test_an_op_says_whether_its_result_may_share_memory(case):
    """The plan relies on it: what is no view is memory of its own, in C order if it says so."""
    y = case(*case.operands)
    operands = [sg.placeholder(type_of(x).dtype, type_of(x).shape) for x in case.operands]
    made = case.op(*operands, **case.attrs)
    if isinstance(made, sg.Expr) and not may_be_view(made):
        assert not any(np.shares_memory(x, y) for x in case.operands)
    if Trait.VIEW not in case.op.traits:
        assert not any(np.shares_memory(x, y) for x in case.operands)
        if {Trait.ELEMENTWISE, Trait.REDUCTION, Trait.C_ORDER} & case.op.traits:
            assert np.asarray(y).flags.c_contiguous


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("laid_out", [transposed, reversed_everywhere, spread])
def test_so_it_does_wherever_the_operands_lie(laid_out, case):
    if Trait.VIEW not in case.op.traits:
        operands = [laid_out(x)[()] for x in case.operands]  # numbers, where there are no axes
        y = case(*operands)
        assert not any(np.shares_memory(x, y) for x in operands)


def written(case, operands, out):
    """The result of the op's source with an array to write into; None if it takes none."""
    types = [type_of(x) for x in operands]
    template = case.op.template(types, case.attrs)
    if "{out}" not in template:
        return None
    names = [f"x{i}" for i in range(len(operands))]
    attrs = {k: repr(v) if not isinstance(v, np.dtype) else v.name for k, v in case.attrs.items()}
    scope = {"np": np, "out": out, **{op.name: op.kernel for op in gradops.OPS.values()}}
    scope |= {name: np.dtype(name) for name in ("float32", "float64", "complex128", "int64")}
    source = template.format(*names, operands=", ".join(names), out=", out=out", fresh="t", **attrs)
    with np.errstate(all="ignore"):
        return eval(source, {**scope, **dict(zip(names, operands, strict=True))})


def arrays_of(case):
    """The operands as arrays of the types that they have in a graph."""
    return [np.array(x, type_of(x).dtype) for x in case.operands]


@pytest.mark.parametrize("case", CASES)
def test_an_op_that_writes_into_given_memory_writes_its_result(case):
    wanted = np.asarray(case(*arrays_of(case)))
    out = np.full_like(wanted, 7)
    result = written(case, arrays_of(case), out) if wanted.shape else None
    if result is not None:
        assert np.shares_memory(result, out) or not out.size
        assert np.array_equal(out, wanted, equal_nan=wanted.dtype.kind in "fc")


@pytest.mark.parametrize("case", CASES)
def test_elementwise_ops_and_those_that_say_so_may_overwrite_an_operand(case):
    wanted = np.asarray(case(*arrays_of(case)))
    elementwise = Trait.ELEMENTWISE in case.op.traits
    if not wanted.shape or not (elementwise or Trait.IN_PLACE in case.op.traits):
        return
    for i in range(len(case.operands) if elementwise else 1):
        operands = arrays_of(case)
        x = operands[i]
        if x.shape != wanted.shape or x.dtype != wanted.dtype:
            continue
        result = written(case, operands, x)
        if result is not None:
            assert np.array_equal(result, wanted, equal_nan=wanted.dtype.kind in "fc")
            assert np.array_equal(x, wanted, equal_nan=wanted.dtype.kind in "fc")


def test_a_big_block_is_new_in_each_call_where_the_arena_would_be_larger_for_nothing():
    x = sg.placeholder("float32", [1000, 1000], name="x")
    early = sg.reduce_sum(sg.exp(x), axis=0)
    late = sg.gather(x, [*range(1000), *range(1000)]) * early
    f = sg.compile(late, [x])
    report = f.report.measure(np.ones((1000, 1000), np.float32))
    assert report.predicted_peak < 1.05 * report.lower_bound


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0",
    reason="this NumPy does not tell whether a change of shape copies",
)
def test_a_copying_change_of_shape_is_let_go_after_its_last_use():
    x = sg.placeholder("float64", [40, 50], name="x")
    y = sg.reshape(sg.transpose(sg.exp(x)), [-1])
    f = sg.compile(sg.reduce_sum(sg.sin(y)) + sg.reduce_sum(y[::2]), [x], optimize=1)
    assert any(line.strip().startswith("del reshape") for line in f.source.splitlines())
    assert f(np.ones((40, 50))) == sg.interpret(f.written, [np.ones((40, 50))])[0]


def test_a_masked_value_in_given_memory_is_overwritten_where_it_is_zero():
    s, v = sg.placeholder("float64", []), sg.placeholder("float64", [1000])
    x = s * v
    y = sg.exp(sg.where(x > 0, sg.sqrt(x), 0.0))
    gradient = sg.gradients(sg.reduce_sum(y), [s])
    values = [1.0, np.linspace(-1, 1, 1000)]
    [want] = sg.interpret(sg.freeze(gradient, [s, v]), values)
    for level in (0, 1):
        assert sg.compile(gradient, [s, v], optimize=level)(*values) == [want]
