"""Writing in place gives what the plain form gives, however the memory lies."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops

STEPS = (2, 3, 4, 8, 16, -1, -4, -8)  # in entries; NumPy's vector loops go wrong at some of them
SIZES = (1, 3, 17, 33)  # below, at the edge of, and above what a vector of entries holds
DTYPES = ("float16", "float32", "float64", "complex128", "int32", "int64", "uint8", "bool")
ULP = 4  # NumPy's loops for memory in a row may round otherwise than those for other memory

BY_HAND = {
    "addcdiv": lambda x: (x, x), "addcmul": lambda x: (x, x), "lerp": lambda x: (x, 0.25),
    "clamp": lambda x: (1, 3), "clip": lambda x: (1, 3), "fill": lambda x: (3,),
    "masked_fill": lambda x: (x.real > 1, 3), "masked_scatter": lambda x: (x.real > 1, x),
    "index_add": lambda x: (0, dg.tensor([0]), x[:1]),
    "index_copy": lambda x: (0, dg.tensor([0]), x[-1:]),
    "index_fill": lambda x: (0, dg.tensor([0]), 3),
    "index_put": lambda x: ((dg.tensor([0]),), x[-1:]),
    "index_reduce": lambda x: (0, dg.tensor([0]), x[-1:], "amax"),
    "put": lambda x: (dg.tensor([0]), x[-1:]),
    "scatter": lambda x: (0, dg.tensor([0]), x[-1:]),
    "scatter_add": lambda x: (0, dg.tensor([0]), x[-1:]),
    "scatter_reduce": lambda x: (0, dg.tensor([0]), x[-1:], "amax"),
}  # fmt: skip
"""The arguments of methods that take other than nothing, or one operand like the tensor."""

OF_MATRICES = {"fill_diagonal", "tril", "triu"}
DRAWN = {
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "normal", "random", "uniform",
}  # fmt: skip
NOT_OF_ENTRIES = {"detach", "requires_grad"}
METHODS = {name[:-1] for name in dir(dg.Tensor) if name.endswith("_") and name[0] != "_"}
every_method = pytest.mark.parametrize(
    "name", sorted(METHODS - OF_MATRICES - DRAWN - NOT_OF_ENTRIES)
)
UFUNCS = sorted(
    {op.kernel for op in gradops.OPS.values() if isinstance(op.kernel, np.ufunc)},
    key=lambda ufunc: ufunc.__name__,
)
pytestmark = pytest.mark.filterwarnings("ignore")


def in_memory(dtype, size, step):
    """A vector with a step between its entries, and the memory it lies in."""
    values = np.arange(size * abs(step)) % 4 + 1  # small, so that every dtype takes the results
    memory = (values / 4 if np.dtype(dtype).kind in "fc" else values).astype(dtype)
    return dg.from_numpy(memory[::step]), memory


def outcome(call):
    """The result of a call, or the kind of error that it raises."""
    with np.errstate(all="ignore"):
        try:
            return call()
        except Exception as error:
            return type(error)


def written(name, x, *args):
    """The result of the method that writes to `x`, or the kind of error that it raises."""
    return outcome(lambda: getattr(x, f"{name}_")(*args))


def arguments(name, x):
    """The arguments of a method of a tensor like `x`."""
    if name in BY_HAND:
        return BY_HAND[name](x.clone())
    return (x.clone(),) if written(name, x.clone()) is TypeError else ()


def agree(got, want, says):
    """Raise unless two outcomes are the same error, or the same entries."""
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, says
        return
    a, b = got.detach().numpy(), want.detach().numpy()
    assert a.dtype == b.dtype
    rtol = ULP * np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0
    np.testing.assert_allclose(a, b, rtol, err_msg=says)


@every_method
@pytest.mark.parametrize("dtype", DTYPES)
def test_steps_in_memory_do_not_matter(name, dtype):
    for size in SIZES:
        for step in STEPS:
            x, memory = in_memory(dtype, size, step)
            args, want, before = arguments(name, x), x.clone(), memory.copy()
            want, got = written(name, want, *args), written(name, x, *args)
            agree(got, want, f"{size} entries with step {step}")
            before[::step] = x.numpy()
            np.testing.assert_array_equal(memory, before, "what lies between was written to")


@every_method
def test_a_recorded_write_to_a_column_is_the_plain_one(name):
    for dtype in ("float32", "float64"):
        for step in (2, 4, 8):
            whole = in_memory(dtype, 33 * step, 1)[0].view(33, step).requires_grad_() * 1
            column, others = whole[:, 1], whole.detach()[:, ::2].clone()
            args = arguments(name, column.detach())
            want = written(name, column.detach().clone(), *args)
            agree(written(name, column, *args), want, f"{dtype} with step {step}")
            agree(whole.detach()[:, ::2], others, "another column was written to")


@every_method
def test_an_operand_may_overlap_what_is_written_to(name):
    for dtype in ("float32", "float64", "int64"):
        whole = in_memory(dtype, 40, 1)[0]
        for into, operand in (
            (whole[1:], whole[:-1]),
            (whole[:-1], whole[1:]),
            (whole, whole.flip(0)),
        ):
            if name not in BY_HAND and len(arguments(name, into)) == 1:
                want = written(name, into.clone(), operand.clone())
                agree(written(name, into, operand), want, dtype)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=[u.__name__ for u in UFUNCS])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_a_ufunc_of_numpy_writes_into_a_column_what_it_gives(ufunc, dtype):
    for step in (4, 8):
        xs = [in_memory(dtype, 33, step)[0] for _ in range(ufunc.nin)]
        want = outcome(lambda xs=xs: ufunc(*xs))
        if not isinstance(want, type):
            out = dg.zeros(33, step, dtype=want.dtype)[:, 1]
            agree(outcome(lambda xs=xs, out=out: ufunc(*xs, out=out)), want, f"step {step}")
            agree(out, want, f"step {step}")


def test_there_are_methods():
    assert len(METHODS) > 90
    assert set(BY_HAND) | OF_MATRICES | DRAWN | NOT_OF_ENTRIES <= METHODS
