"""Vectors: the same lines as for scalars, on several entries at once."""

import ctypes

import numpy as np
import pytest

from gradops.native.ir import vectors
from gradops.native.ir.functions import FUNCTIONS, arity_of, declarations
from gradops.native.ir.places import Place
from gradops.native.ir.scalars import call_math
from gradops.native.ir.text import METADATA, FunctionText, Lane

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")
COUNTS = (2, 3, 10, 16)


def run(bodies, *arrays):
    """Call functions of arrays, each of which `bodies` writes by its name."""
    from gradops.native.runtime.machine import Code

    texts, used = [], {}
    for name, write in bodies.items():
        given = ", ".join(f"ptr noalias %x{k}" for k in range(len(arrays)))
        f = FunctionText(f"define i32 @{name}({given})")
        write(f)
        f.lanes = 0
        f.end()
        texts.append(f)
        used |= f.used
    lines, functions = declarations(used)
    code = Code("\n".join([*lines, *[f.text() for f in (*functions, *texts)], METADATA]))
    pointers = [x.ctypes.data for x in arrays]
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * len(arrays))
    for name in bodies:
        assert kind(code.address(name))(*pointers) == 0


def place(k, x):
    """The place of the operand with a number, which is an array."""
    return Place(f"%x{k}", x.dtype, x.shape, tuple(s // x.itemsize for s in x.strides))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("lanes", COUNTS)
def test_functions_of_vectors_have_the_bits_of_those_of_scalars(lanes, dtype):
    x = np.linspace(0.1, 0.9, lanes).astype(dtype)
    found = np.zeros((2, len(FUNCTIONS), lanes), dtype)

    def compute(f, name, k):
        at = [Lane(0)] if f.lanes else None
        for i in [Lane(0)] if at else range(lanes):
            operands = [place(0, x).load(f, [i])] * arity_of(name)
            y = call_math(name, operands)
            place(1, found).store(f, [int(not f.lanes), k, i], y)

    def both(f):
        for k, name in enumerate(FUNCTIONS):
            for f.lanes in (lanes, 0):
                compute(f, name, k)

    run({"both": both}, x, found)
    assert found[0].any(axis=1).all()
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i4", "b1"])
@pytest.mark.parametrize("step", [-1, 0, 1, 2])
def test_entries_are_read_and_written_at_any_distance(step, dtype):
    x = np.arange(40).astype(dtype)
    y = np.zeros(40, dtype)
    source = Place("%x0", x.dtype, (5,), (step,), offset=10)
    target = Place("%x1", x.dtype, (5,), (step or 1,), offset=10)

    def write(f):
        f.lanes = 5
        target.store(f, [Lane(0)], source.load(f, [Lane(0)]))

    run({"write": write}, x, y)
    want = np.zeros_like(y)
    for k in range(5):
        want[10 + k * (step or 1)] = x[10 + k * step]
    np.testing.assert_array_equal(y, want)


@pytest.mark.parametrize("lanes", [1, *COUNTS])
def test_a_total_joins_all_entries_once(lanes):
    x, y = np.arange(1.0, lanes + 1), np.zeros(1)

    def write(f):
        f.lanes = lanes
        total = vectors.total(place(0, x).load(f, [Lane(0)]), lambda a, b: a + b, -0.0)
        f.lanes = 0
        place(1, y).store(f, [0], total)

    run({"write": write}, x, y)
    assert y[0] == x.sum()


def test_entries_far_apart_are_no_long_vector():
    f = FunctionText("")
    f.lanes = vectors.FEW + 1
    with pytest.raises(vectors.NotVector):
        Place("%x", np.dtype("f8"), (f.lanes,), (3,)).load(f, [Lane(0)])
