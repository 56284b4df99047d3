"""Creation of tensors: from data, filled, counted and random."""

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Optional

import numpy as np

import gradops as ops
from gradops import Batched, TransformError
from gradops.core.levels import TRACING
from gradops.core.op import refuse_masked
from gradops.core.types import as_shape, shape_of, type_of
from gradops.typing import AnyArray, DTypeLike, Number, ShapeLike

from ..devices import on_device
from ..dispatch.casting import is_plain_number, number, number_in
from ..dispatch.default_dtype import get_default_dtype, natural_dtype
from ..engine.grad_mode import RANDOMNESS, is_recording
from ..engine.handle import Handle, cut_off
from ..engine.leaf import requires_grad_
from ..engine.storage import storage_of
from ..engine.tensor import Tensor, handle, numeric, tensor_of

__all__ = [
    "FloatTensor", "arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full",
    "full_like", "linspace", "manual_seed", "ones", "ones_like", "rand", "rand_like", "randint",
    "randn", "randn_like", "randperm", "tensor", "zeros", "zeros_like",
]  # fmt: skip

Generator = Optional["np.random.Generator"]  # by name, as its module is slow to load
GENERATOR: ContextVar["np.random.Generator"] = ContextVar("generator")
MADE_OF_TENSORS = (
    "tensor() copies tensors with requires_grad=True and cuts the copy off from the graph; use"
    " stack() or cat() to build a tensor from tensors, or .detach().clone() to copy one"
)


def manual_seed(seed: int | None) -> None:
    """Seed the random numbers of this thread or task.

    >>> dg.manual_seed(0)
    >>> dg.rand(2)
    tensor([0.8506, 0.6370])
    """
    GENERATOR.set(np.random.default_rng(seed))


def generator() -> "np.random.Generator":
    """The random generator of this thread or task; refused where draws would repeat."""
    if any(mode == "error" for mode, _, _ in RANDOMNESS.get()):
        raise TransformError(
            "vmap: called random operation while in randomness error mode. Please either use the"
            " 'same' randomness flag on vmap or draw the numbers outside and pass them in"
        )
    if tracing := TRACING.get():
        raise TransformError(
            f"random numbers drawn while {tracing} traces would be the same in every call"
            "\n  hint: sg.random_normal(shape) and its like draw anew in each call; or pass the"
            " numbers in as arguments, as the mask of a dropout, which draws nothing with p=0 or"
            " after model.eval()"
        )
    return state_of_thread()


def state_of_thread() -> "np.random.Generator":
    """The random generator of this thread or task, for copying; seeded on first use."""
    if GENERATOR.get(None) is None:
        manual_seed(None)
    return GENERATOR.get()


def draw(
    sample: Callable[[Any, Any], Any], shape: tuple[int, ...], source: Generator = None
) -> AnyArray:
    """Random numbers of a shape; with `vmap(randomness="different")`, new ones for each example."""
    batches = [(level, n) for mode, level, n in RANDOMNESS.get() if mode == "different"]
    value = sample(source or generator(), (*(n for _, n in batches), *shape))
    for level, _ in batches:
        value = Batched(value, level)
    return value


def make_tensor(value: AnyArray, requires_grad: bool) -> Tensor:
    """A new tensor, optionally a leaf that requires gradients."""
    t = cut_off(handle(value), None, tracked=False)
    return requires_grad_(t) if requires_grad else t


@on_device
def tensor(data: Any, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences, an array or a tensor.

    Arrays keep their dtype; Python floats get the default dtype. Raises TapeError if gradients are
    required of integers, ValueError if the sequences are ragged.

    >>> dg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensor([[1., 2.],
            [3., 4.]], requires_grad=True)
    """
    if not isinstance(data, Handle) and hasattr(data, "gradop_level"):
        return make_tensor(data if dtype is None else ops.astype(data, dtype=dtype), requires_grad)
    cut: list[Handle] = []
    value = np.array(plain(data, cut), order="C")
    if cut and is_recording():
        warnings.warn(MADE_OF_TENSORS, ops.DetachWarning, stacklevel=3)
    if dtype is None:
        dtype = value.dtype if hasattr(first_entry(data), "dtype") else natural_dtype(value)
    return make_tensor(numeric(value.astype(dtype, copy=False)), requires_grad)


def first_entry(data: object) -> object:
    """The first entry of nested sequences."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return data


def plain(data: object, cut: list[Handle]) -> object:
    """Data with tensors replaced by values; those that require gradients are added to `cut`."""
    if isinstance(data, Handle):
        if data.node is not None:
            cut.append(data)
        return data.value
    if isinstance(data, list | tuple):
        return [plain(x, cut) for x in data]
    return refuse_masked(data, "tensor")


@on_device
def as_tensor(data: Any, dtype: DTypeLike = None) -> Tensor:
    """`data` as a tensor; a tensor is returned unchanged, the memory of an array is shared.

    >>> x = dg.ones(2)
    >>> dg.as_tensor(x) is x
    True
    """
    if isinstance(data, Handle):
        return tensor_of(data) if dtype is None else tensor_of(data).to(dtype)
    result = from_numpy(data) if isinstance(data, np.ndarray) else tensor(data)
    return result if dtype is None else result.to(dtype)


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor that shares the memory of an array.

    >>> a = np.zeros(2)
    >>> t = dg.from_numpy(a)
    >>> a[0] = 5.0
    >>> t
    tensor([5., 0.], dtype=float64)
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    t = handle(numeric(refuse_masked(array, "from_numpy")))
    storage_of(t).lend()
    return t


def sizes(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape given as one sequence or as several numbers."""
    result: Any = as_shape(shape[0] if len(shape) == 1 else shape)
    for n in result:
        if isinstance(n, int) and n < 0:
            raise ops.ShapeError(
                "shape", [result], f"the size {n} is negative",
                known_as=f"Trying to create tensor with negative dimension {n}: {list(result)}",
            )  # fmt: skip
    return result


@on_device
def full(
    shape: ShapeLike, fill_value: Tensor | Number, dtype: DTypeLike = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of a shape, filled with a number.

    >>> dg.full((2,), 3.0)
    tensor([3., 3.])
    """
    value = number("full", "fill_value", fill_value)
    dtype = natural_dtype(np.asarray(value)) if dtype is None else dtype
    return make_tensor(np.full(sizes((shape,)), number_in("full", dtype, value)), requires_grad)


@on_device
def zeros(*shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros.

    >>> dg.zeros(2, 2)
    tensor([[0., 0.],
            [0., 0.]])
    """
    return make_tensor(np.zeros(sizes(shape), dtype or get_default_dtype()), requires_grad)


@on_device
def ones(*shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones.

    >>> dg.ones(3)
    tensor([1., 1., 1.])
    """
    return make_tensor(np.ones(sizes(shape), dtype or get_default_dtype()), requires_grad)


@on_device
def empty(*shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """A tensor with uninitialised entries.

    >>> dg.empty(2, 3).shape
    (2, 3)
    """
    return make_tensor(np.empty(sizes(shape), dtype or get_default_dtype()), requires_grad)


@on_device
def arange(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: DTypeLike = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Numbers from `start`, by default 0, to before `end`.

    >>> dg.arange(3)
    tensor([0, 1, 2])
    """
    start, end = (0, start) if end is None else (start, end)  # one number is the end
    given = {"start": start, "end": end, "step": step}
    start, end, step = (number("arange", name, x) for name, x in given.items())
    if step == 0:
        raise ops.OptionError("arange", [], "the step is zero", known_as="step must be nonzero")
    value = np.arange(start, end, step)
    return make_tensor(value.astype(dtype or natural_dtype(value), copy=False), requires_grad)


@on_device
def linspace(
    start: Any, end: Any, steps: int, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """`steps` equally spaced numbers from `start` to `end`, both included.

    Gradients flow to ends that require them; for an integer dtype, the ends are truncated first.

    >>> dg.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    (steps,) = sizes((steps,))
    for name, x in (("start", start), ("end", end)):
        if shape_of(x):
            raise ops.ShapeError(
                "linspace", [type_of(x)], f"{name} has dimensions, and must be a number",
                known_as="linspace only supports 0-dimensional start and end tensors",
            )  # fmt: skip
    if not (is_plain_number(start) and is_plain_number(end)):
        from gradops.numpy_api.functions import creation

        result = creation.linspace(start, end, steps)
        return result if dtype is None else ops.astype(result, dtype=dtype)
    start, end = number("linspace", "start", start), number("linspace", "end", end)
    if dtype is None:
        dtype = natural_dtype(np.asarray(start + end + 0.0))
    elif np.dtype(dtype).kind in "iu":
        start, end = int(start), int(end)
    return make_tensor(np.linspace(start, end, steps).astype(dtype), requires_grad)


@on_device
def eye(
    n: int, m: int | None = None, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere.

    >>> dg.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    n, m = sizes((n, n if m is None else m))
    return make_tensor(np.eye(n, m, dtype=dtype or get_default_dtype()), requires_grad)


@on_device
def rand(*shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, uniform from 0 to 1.

    >>> dg.rand(2, 3).shape
    (2, 3)
    """
    value = draw(lambda g, size: g.random(size, np.float32), sizes(shape))
    return make_tensor(ops.astype(value, dtype=dtype or get_default_dtype()), requires_grad)


@on_device
def randn(*shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Standard normal random numbers.

    >>> dg.randn((3, 3), requires_grad=True).requires_grad
    True
    """
    value = draw(lambda g, size: g.standard_normal(size), sizes(shape))
    return make_tensor(ops.astype(value, dtype=dtype or get_default_dtype()), requires_grad)


@on_device
def randint(low: int, high: Any = None, size: Any = None, dtype: DTypeLike = np.int64) -> Tensor:
    """Random integers from `low` to before `high`; from 0, if only one number is given.

    >>> dg.randint(0, 10, (4,)).shape, dg.randint(10, (4,)).shape
    ((4,), (4,))
    """
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise ops.OptionError(
            "randint", [], f"low={low} is not less than high={high}",
            known_as=f"random_ expects 'from' to be less than 'to', got from={low} >= to={high}",
        )  # fmt: skip
    return make_tensor(draw(lambda g, n: g.integers(low, high, n, dtype), sizes((size,))), False)


@on_device
def zeros_like(x: Tensor, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and, by default, the dtype of `x`.

    >>> dg.zeros_like(dg.ones(2))
    tensor([0., 0.])
    """
    return make_tensor(np.zeros(x.shape, dtype or x.dtype), requires_grad)


@on_device
def ones_like(x: Tensor, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and, by default, the dtype of `x`.

    >>> dg.ones_like(dg.zeros(2))
    tensor([1., 1.])
    """
    return make_tensor(np.ones(x.shape, dtype or x.dtype), requires_grad)


@on_device
def full_like(
    x: Tensor, fill_value: Tensor | Number, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """A number repeated in the shape and, by default, the dtype of `x`.

    >>> dg.full_like(dg.zeros(2), 7)
    tensor([7., 7.])
    """
    value = number("full_like", "fill_value", fill_value)
    result = number_in("full_like", dtype or x.dtype, value)
    return make_tensor(np.full(x.shape, result), requires_grad)


@on_device
def empty_like(x: Tensor, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Uninitialised entries of the shape and, by default, the dtype of `x`.

    >>> dg.empty_like(dg.zeros(2)).shape
    (2,)
    """
    return make_tensor(np.empty(x.shape, dtype or x.dtype), requires_grad)


@on_device
def rand_like(x: Tensor, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, uniform from 0 to 1, of the shape and, by default, the dtype of `x`.

    >>> dg.rand_like(dg.zeros(2)).shape
    (2,)
    """
    return rand(x.shape, dtype=dtype or x.dtype, requires_grad=requires_grad)


@on_device
def randn_like(x: Tensor, dtype: DTypeLike = None, requires_grad: bool = False) -> Tensor:
    """Standard normal random numbers of the shape and, by default, the dtype of `x`.

    >>> dg.randn_like(dg.zeros(2)).shape
    (2,)
    """
    return randn(x.shape, dtype=dtype or x.dtype, requires_grad=requires_grad)


@on_device
def randperm(n: int) -> Tensor:
    """The integers from 0 to before `n` in random order.

    >>> sorted(dg.randperm(3).tolist())
    [0, 1, 2]
    """
    shape = sizes((n,))
    value = draw(lambda g, size: g.permuted(np.broadcast_to(np.arange(n), size), axis=-1), shape)
    return make_tensor(value, False)


@on_device
def new_zeros(
    t: Tensor, *shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """Zeros of a shape, in the dtype of this tensor."""
    return zeros(*shape, dtype=dtype or t.dtype, requires_grad=requires_grad)


@on_device
def new_ones(
    t: Tensor, *shape: ShapeLike, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """Ones of a shape, in the dtype of this tensor."""
    return ones(*shape, dtype=dtype or t.dtype, requires_grad=requires_grad)


@on_device
def new_full(
    t: Tensor, shape: ShapeLike, fill_value: Tensor | Number, dtype: DTypeLike = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor filled with a number, in the dtype of this tensor."""
    return full(shape, fill_value, dtype or t.dtype, requires_grad)


@on_device
def new_tensor(
    t: Tensor, data: Any, dtype: DTypeLike = None, requires_grad: bool = False
) -> Tensor:
    """A copy of `data` in the dtype of this tensor."""
    return tensor(data, dtype or t.dtype, requires_grad)


def FloatTensor(*data: Any) -> Tensor:
    """A float32 tensor: `FloatTensor(3, 3)` of a shape, `FloatTensor([1, 2])` of data.

    It does not take `requires_grad`: set it on the result.

    >>> dg.FloatTensor(3, 3).shape
    (3, 3)
    """
    return Tensor(*data)
