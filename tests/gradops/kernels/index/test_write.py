"""Ufuncs write into given memory the bits of their plain form, whatever the steps."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import gradops
from gradops.core.traits import Trait
from gradops.core.types import type_of
from gradops.kernels.index.write import write_into
from gradops.testing.cases import SAME_SUM, agree, cases
from gradops.testing.op_properties import LAYOUTS, evaluate

STEPS = (1, 2, 3, 4, 8, 16, -1, -4, -8)  # in entries; NumPy's vector loops go wrong at some of them
SIZES = (3, 33)  # below and above what a vector of entries holds
ULP = 4  # NumPy's loops for memory in a row may round otherwise than those for other memory
UFUNCS = {op.kernel for op in gradops.OPS.values() if isinstance(op.kernel, np.ufunc)}
every_ufunc = pytest.mark.parametrize("ufunc", sorted(UFUNCS, key=lambda u: u.__name__))
pytestmark = pytest.mark.filterwarnings("ignore")


def with_step(rng, dtype, size, step):
    """Random numbers that lie in memory with a step between them."""
    return rng.uniform(0.5, 4, size * abs(step)).astype(dtype)[::step]


def result(ufunc, dtype):
    """The result of a ufunc for ones of a dtype, or None if it does not take them."""
    try:
        return ufunc(*[np.ones(1, dtype)] * ufunc.nin)
    except TypeError:
        return None


def keeps(ufunc, dtype):
    """Whether a ufunc gives a dtype for operands of it."""
    found = result(ufunc, dtype)
    return found is not None and found.dtype == np.dtype(dtype)


def assert_close(got, want, says):
    if not np.array_equal(got, want):  # which is quick to tell
        rtol = ULP * np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
        np.testing.assert_allclose(got, want, rtol, err_msg=says)


@every_ufunc
def test_steps_of_operands_and_out_do_not_matter(ufunc):
    rng = np.random.default_rng(0)
    steps = list(itertools.product(STEPS if ufunc.nin == 1 else (1, 4, 8), repeat=ufunc.nin))
    for dtype in "?BhilefdD":
        if (found := result(ufunc, dtype)) is None:
            continue
        drawn = with_step(rng, dtype, max(SIZES) * max(STEPS), 1)
        for size, into in itertools.product(SIZES, STEPS):
            memory = np.zeros(size * abs(into), found.dtype)
            out = memory[::into]
            for given in steps:
                xs = [drawn[: size * abs(step)][::step] for step in given]
                write_into(out, ufunc, *xs)
                want = ufunc(*(x.copy() for x in xs))
                assert_close(out, want, f"{dtype}: {size} entries, {given} to {into}")
            assert np.count_nonzero(memory) <= size


@every_ufunc
def test_an_operand_may_be_what_is_written_to(ufunc):
    rng = np.random.default_rng(0)
    for dtype in "hilefdFD":
        if not keeps(ufunc, dtype):
            continue
        for size, step, place in itertools.product(SIZES, STEPS, range(ufunc.nin)):
            xs = [with_step(rng, dtype, size, 1 + k) for k in range(ufunc.nin)]
            xs[place] = out = with_step(rng, dtype, size, step)
            want = ufunc(*(x.copy() for x in xs))
            write_into(out, ufunc, *xs)
            assert_close(out, want, f"{dtype}: {size} entries with step {step}")


@every_ufunc
def test_an_operand_may_overlap_what_is_written_to(ufunc):
    rng = np.random.default_rng(0)
    for dtype in "lfdD":
        if not keeps(ufunc, dtype):
            continue
        for first, second in itertools.permutations(
            [slice(1, 34), slice(0, 33), slice(33, 0, -1)], 2
        ):
            memory = with_step(rng, dtype, 40, 1)
            xs = [memory[first], *[with_step(rng, dtype, 33, 2)] * (ufunc.nin - 1)]
            want = ufunc(*(x.copy() for x in xs))
            write_into(memory[second], ufunc, *xs)
            assert_close(memory[second], want, dtype)


def grown(x):
    """An operand with axes, made so large that vectors of entries occur."""
    return np.tile(x, (*(1,) * (x.ndim - 1), 12)) if x.ndim else x


def kept_memory_cases():
    """Samples of ops that generated code computes into kept memory."""
    for op in gradops.OPS.values():
        for case in cases(op):
            template = op.template(list(map(type_of, case.operands)), case.attrs)
            if "{out}" in template:
                yield pytest.param(case, id=str(case))


WIDE = {name: (lambda x, s=s: np.repeat(x, s, axis=-1)[..., ::s] if x.ndim else x) for name, s in
        {"every fourth": 4, "every eighth": 8}.items()}  # fmt: skip


@pytest.mark.parametrize("case", list(kept_memory_cases()))
def test_kept_memory_takes_the_result_of_operands_of_any_layout(case):
    operands = list(case.operands)
    if Trait.ELEMENTWISE in case.op.traits and len({x.shape for x in operands}) == 1:
        operands = list(map(grown, operands))
    template = case.op.template(list(map(type_of, operands)), case.attrs)
    want = np.asarray(evaluate(replace(case, examples=[operands]), template))
    for name, laid in (LAYOUTS | WIDE).items():
        buffer = np.ones_like(want, order="C")
        xs = [laid(x.copy()) for x in operands]
        evaluate(replace(case, examples=[xs]), template, buffer)
        agree(name, buffer, want, SAME_SUM)
