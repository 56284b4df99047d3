"""Programs written once, for staticgrad and for TensorFlow 1, and what the two must agree on."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest

import staticgrad as sg

Program = Callable[..., Any]


def dense_gradients(tf: Any) -> Callable[..., Any]:
    """`tf.gradients` with arrays for `IndexedSlices`, which it gives of `gather`."""

    def gradients(*args: Any, unconnected: str = "none", **options: Any) -> Any:
        found = tf.gradients(*args, unconnected_gradients=unconnected, **options)
        return [None if g is None else tf.convert_to_tensor(g) for g in found]

    return gradients


# What has another name in TensorFlow, or takes its arguments in another way.
ELSEWHERE: Mapping[str, Callable[[Any], Any]] = {
    "binary_cross_entropy_with_logits": lambda tf: (
        lambda x, labels, reduction: tf.nn.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=x
        )
    ),
    "cross_entropy": lambda tf: (
        lambda x, labels, reduction: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=x
        )
    ),
    "flip": lambda tf: lambda x, axis: tf.reverse(x, [axis]),
    "floor_divide": lambda tf: tf.floordiv,
    "gelu": lambda tf: tf.compat.v2.nn.gelu,
    "gradients": dense_gradients,
    "isfinite": lambda tf: tf.is_finite,
    "isnan": lambda tf: tf.is_nan,
    "log_softmax": lambda tf: tf.nn.log_softmax,
    "reduce_std": lambda tf: tf.math.reduce_std,
    "reduce_variance": lambda tf: tf.math.reduce_variance,
    "relu": lambda tf: tf.nn.relu,
    "silu": lambda tf: tf.nn.silu,
    "softmax": lambda tf: tf.nn.softmax,
    "softplus": lambda tf: tf.nn.softplus,
    "where": lambda tf: tf.where_v2,  # the one that broadcasts
}


class TensorFlow:
    """`tf.compat.v1` under the names that staticgrad has."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def __getattr__(self, name: str) -> Any:
        return ELSEWHERE[name](self.tf) if name in ELSEWHERE else getattr(self.tf, name)


def opened(t: Any) -> Any:
    """A session whose variables have their initial values, which TensorFlow has to be told."""
    session = t.Session()
    if t is not sg:
        session.run(t.global_variables_initializer())
    return session


def after(t: Any, *first: Any) -> AbstractContextManager[Any]:
    """Build what runs after `first`: TensorFlow has to be told, here program order holds."""
    return nullcontext() if t is sg else t.control_dependencies(first)


def plain_name(x: Any) -> str:
    """A name without TensorFlow's number of the output."""
    return str(getattr(x, "name", x)).removesuffix(":0")


def derivatives(t: Any, program: Program, data: Mapping[str, Any], order: int, known: bool) -> Any:
    """The values of `program`, their gradients by its float inputs, and so on up to `order`.

    Each is the gradient of the sum of squares of what came before, which weighs its entries
    differently. Unless `known`, the sizes of the inputs are unknown while the graph is built.
    """
    with t.Graph().as_default():
        xs = {
            name: t.placeholder(str(a.dtype), a.shape if known else [None] * a.ndim, name=name)
            for name, a in data.items()
        }
        y = program(t, **xs)
        wrt = [x for x in xs.values() if x.dtype == "float64"]
        found = [list(y) if isinstance(y, list | tuple) else [y]]
        for _ in range(order):
            floats = [y for y in found[-1] if y.dtype == "float64"]
            if floats:
                loss = sum(t.reduce_sum(y * y) for y in floats)
                found.append(t.gradients(loss, wrt, unconnected="zero"))
        return opened(t).run(found, {xs[name]: a for name, a in data.items()})


def outcome(t: Any, program: Program) -> Any:
    """What a program of sessions returns, or the error it ends with."""
    try:
        with t.Graph().as_default():
            return program(t)
    except Exception as error:
        return error


def assert_same(ours: Any, theirs: Any, tolerance: float = 1e-11) -> None:
    """Assert that two results have the same structure, the same types and close numbers."""
    assert isinstance(ours, Exception) == isinstance(theirs, Exception), (ours, theirs)
    if isinstance(theirs, Exception):
        return
    if isinstance(theirs, list | tuple | dict):
        assert type(ours) is type(theirs)
        assert len(ours) == len(theirs)
        keys = theirs if isinstance(theirs, dict) else range(len(theirs))
        for key in keys:
            assert_same(ours[key], theirs[key], tolerance)
    elif isinstance(theirs, np.ndarray | np.generic):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    else:
        assert ours == theirs


class Programs:
    """A table of programs of a library with TensorFlow 1's names, which both must agree on."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def __call__(self, program: Program) -> Program:
        """Add a program."""
        return self.given()(program)

    def given(self, order: int = 2, marks: Any = (), **data: Any) -> Callable[[Program], Program]:
        """Add a program of inputs with this data, and up to which derivatives it is compared."""

        def add(program: Program) -> Program:
            arrays = {name: np.asarray(a) for name, a in data.items()}
            case = pytest.param(program, arrays, order, id=program.__name__, marks=marks)
            self.rows.append(case)
            return program

        return add

    def cases(self) -> Any:
        """A test's parameters `program`, `data` and `order`, for all programs."""
        return pytest.mark.parametrize(("program", "data", "order"), self.rows)

    def derivatives_test(self, known: bool = True) -> Any:
        """A test that values and derivatives are TensorFlow's."""

        @pytest.mark.peers
        @self.cases()
        def test(tensorflow, program, data, order):
            assert_same(*(derivatives(t, program, data, order, known) for t in (sg, tensorflow)))

        return test

    def outcomes_test(self) -> Any:
        """A test that what a program returns is what it returns in TensorFlow, or both refuse."""

        @pytest.mark.peers
        @self.cases()
        def test(tensorflow, program, data, order):
            assert_same(*(outcome(t, program) for t in (sg, tensorflow)))

        return test

    def refused_test(self) -> Any:
        """A test that both libraries end the program with an error."""

        @pytest.mark.peers
        @self.cases()
        def test(tensorflow, program, data, order):
            assert isinstance(outcome(tensorflow, program), Exception)
            assert isinstance(outcome(sg, program), Exception)

        return test
