"""Every way to put what is traced into a plain array or number is refused or warned of."""

import array
import cmath
import decimal
import fractions
import io
import json
import math
import operator
import random
import statistics
import struct
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops import DetachWarning, GradError

VALUES = np.array([1.0, 2.0, 3.0])


def z():
    return np.zeros(3)


def setitem(t, a, i):
    a[i] = t


def iadd(t, a):
    a += t


def isub_row(t, a):
    a[1] += t


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "ys[i]=t": lambda t, v: setitem(t, z(), 0),
    "ys[:]=t": lambda t, v: setitem(t, z(), slice(None)),
    "ys[:]=v": lambda t, v: setitem(v, z(), slice(None)),
    "ys[...]=v": lambda t, v: setitem(v, z(), ...),
    "ys[mask]=t": lambda t, v: setitem(t, z(), np.array([True, False, True])),
    "ys[[0,1]]=t": lambda t, v: setitem(t, z(), [0, 1]),
    "ys[0]+=t": lambda t, v: isub_row(t, z()),
    "ys+=t": lambda t, v: iadd(t, z()),
    "ys+=v": lambda t, v: iadd(v, z()),
    "ys-=v": lambda t, v: operator.isub(z(), v),
    "ys*=v": lambda t, v: operator.imul(z(), v),
    "ys/=v": lambda t, v: operator.itruediv(z(), v),
    "ys//=v": lambda t, v: operator.ifloordiv(z(), v),
    "ys**=v": lambda t, v: operator.ipow(z(), v),
    "ys@=m": lambda t, v: operator.imatmul(np.eye(3), v[:, None] * v),
    "np.add(out=)": lambda t, v: np.add(z(), v, out=z()),
    "np.add(t, out)": lambda t, v: np.add(v, v, z()),
    "np.exp(out=)": lambda t, v: np.exp(v, out=z()),
    "np.sum(out=)": lambda t, v: np.sum(v, out=np.zeros(())),
    "np.cumsum(out=)": lambda t, v: np.cumsum(v, out=z()),
    "np.matmul(out=)": lambda t, v: np.matmul(v, v[:, None], out=np.zeros(1)),
    "np.dot(out=)": lambda t, v: np.dot(v, v, out=np.zeros(())),
    "np.concatenate(out=)": lambda t, v: np.concatenate([v, v], out=np.zeros(6)),
    "np.stack(out=)": lambda t, v: np.stack([v, v], out=np.zeros((2, 3))),
    "np.clip(out=)": lambda t, v: np.clip(v, 0, 1, out=z()),
    "np.einsum(out=)": lambda t, v: np.einsum("i->i", v, out=z()),
    "np.where(out)": lambda t, v: np.mean(v, out=np.zeros(())),
    "np.take(out=)": lambda t, v: np.take(v, [0, 1, 2], out=z()),
    "np.add.at": lambda t, v: np.add.at(z(), [0, 1, 2], v),
    "np.add.reduce(out=)": lambda t, v: np.add.reduce(v, out=np.zeros(())),
    "np.add.accumulate(out=)": lambda t, v: np.add.accumulate(v, out=z()),
    "np.add.outer(out=)": lambda t, v: np.add.outer(v, v, out=np.zeros((3, 3))),
    "np.copyto": lambda t, v: np.copyto(z(), v),
    "np.copyto t": lambda t, v: np.copyto(z(), t),
    "fill": lambda t, v: z().fill(t),
    "np.put": lambda t, v: np.put(z(), [0], t),
    "a.put": lambda t, v: z().put([0], t),
    "np.place": lambda t, v: np.place(z(), [True, False, False], t),
    "np.putmask": lambda t, v: np.putmask(z(), np.array([True] * 3), v),
    "np.put_along_axis": lambda t, v: np.put_along_axis(z(), np.array([0]), t, 0),
    "np.fill_diagonal": lambda t, v: np.fill_diagonal(np.eye(3), t),
    "itemset flat": lambda t, v: setitem(t, z().flat, 0),
    "flat=": lambda t, v: setattr(z(), "flat", v),
    "real=": lambda t, v: setattr(np.zeros(3, complex), "real", v),
    "imag=": lambda t, v: setattr(np.zeros(3, complex), "imag", v),
    "data choose": lambda t, v: np.choose([0, 1, 0], [z(), v]),
    "np.array(t)": lambda t, v: np.array(t),
    "np.asarray(v)": lambda t, v: np.asarray(v),
    "np.asanyarray(v)": lambda t, v: np.asanyarray(v),
    "np.ascontiguousarray": lambda t, v: np.ascontiguousarray(v),
    "np.asfortranarray": lambda t, v: np.asfortranarray(v),
    "np.asarray_chkfinite": lambda t, v: np.asarray_chkfinite(v),
    "np.require": lambda t, v: np.require(v),
    "np.array([u,v])": lambda t, v: np.array([v, v]),
    "np.array([t,t])": lambda t, v: np.array([t, t]),
    "np.array([t,1.])": lambda t, v: np.array([t, 1.0]),
    "np.array([[t,1.]])": lambda t, v: np.array([[t, 1.0], [0.0, t]]),
    "np.array((t,))": lambda t, v: np.array((t,)),
    "np.array(obj)": lambda t, v: np.array([t, t], dtype=object),
    "np.asarray([t])": lambda t, v: np.asarray([t]),
    "np.float64(t)": lambda t, v: np.float64(t),
    "np.float32(t)": lambda t, v: np.float32(t),
    "np.complex128(t)": lambda t, v: np.complex128(t),
    "np.int64(t)": lambda t, v: np.int64(t),
    "np.fromiter": lambda t, v: np.fromiter((x for x in [t, t]), float),
    "np.fromiter v": lambda t, v: np.fromiter(v, float),
    "np.full": lambda t, v: np.full(3, t),
    "np.full v": lambda t, v: np.full((2, 3), v),
    "np.full_like": lambda t, v: np.full_like(z(), t),
    "np.mean([x,y])": lambda t, v: np.mean([v, v]),
    "np.mean([t,t])": lambda t, v: np.mean([t, t]),
    "np.sum([t])": lambda t, v: np.sum([t, t]),
    "np.max([t])": lambda t, v: np.max([t, t]),
    "np.r_ t": lambda t, v: np.r_[t, 1.0],
    "np.r_ v": lambda t, v: np.r_[v, v],
    "np.c_": lambda t, v: np.c_[v, v],
    "np.dot list": lambda t, v: np.dot([t, t, t], z()),
    "np.dot list2": lambda t, v: np.dot(z(), [t, t, t]),
    "np.linalg.norm list": lambda t, v: np.linalg.norm([t, t]),
    "arr*[t,t]": lambda t, v: z() * [t, t, t],
    "np.exp([t])": lambda t, v: np.exp([t, t]),
    "np.add([t])": lambda t, v: np.add([t, t], 1.0),
    "np.interp": lambda t, v: np.interp(1.0, [0.0, 1.0, 2.0], [t, t, t]),
    "np.linspace": lambda t, v: np.linspace(0.0, t, 4),
    "np.arange": lambda t, v: np.arange(0.0, t),
    "np.logspace": lambda t, v: np.logspace(0.0, t, 4),
    "np.geomspace": lambda t, v: np.geomspace(1.0, t, 4),
    "np.diag([t])": lambda t, v: np.diag([t, t]),
    "np.append([t])": lambda t, v: np.append([1.0], t),
    "np.insert": lambda t, v: np.insert(z(), 0, t),
    "np.concatenate lists": lambda t, v: np.concatenate([[t], [1.0]]),
    "np.hstack lists": lambda t, v: np.hstack([[t], [1.0]]),
    "np.block": lambda t, v: np.block([[t, 1.0]]),
    "np.outer list": lambda t, v: np.outer([t, t], z()),
    "np.cross list": lambda t, v: np.cross([t, t, t], z()),
    "np.polyval list": lambda t, v: np.polyval([t, t], 2.0),
    "np.where list": lambda t, v: np.where([True, False], [t, t], 0.0),
    "np.sort list": lambda t, v: np.sort([t, t]),
    "np.vectorize": lambda t, v: np.vectorize(lambda x: x * 2)(v),
    "np.frompyfunc": lambda t, v: np.frompyfunc(lambda x: x * 2, 1, 1)(v),
    "np.apply_along_axis": lambda t, v: np.apply_along_axis(lambda x: x.sum(), 0, v),
    "np.apply_along plain": lambda t, v: np.apply_along_axis(lambda x: (x * t).sum(), 0, z()),
    "np.vectorize closure": lambda t, v: np.vectorize(lambda x: x * t)(z()),
    "np.vectorize otypes": lambda t, v: np.vectorize(lambda x: x * t, otypes=[float])(z()),
    "np.fromfunction": lambda t, v: np.fromfunction(lambda i: i * t, (3,)),
    "np.piecewise": lambda t, v: np.piecewise(
        z(), [z() < 0, z() >= 0], [lambda x: x, lambda x: x + t]
    ),
    "np.select list": lambda t, v: np.select([z() < 0, z() >= 0], [t, v]),
    "np.nditer": lambda t, v: np.nditer(v),
    "np.ndindex": lambda t, v: list(np.nditer([v, z()])),
    "np.broadcast": lambda t, v: np.broadcast(v, z()),
    "np.matrix": lambda t, v: np.matrix(v),
    "np.ma.array": lambda t, v: np.ma.array(v),
    "np.rec": lambda t, v: np.rec.fromarrays([v, v]),
    "np.poly1d": lambda t, v: np.poly1d(v)(2.0),
    "np.polynomial": lambda t, v: np.polynomial.Polynomial(v)(2.0),
    "np.save": lambda t, v: np.save(io.BytesIO(), v),
    "np.random.normal": lambda t, v: np.random.normal(t, 1.0),
    "rng.normal": lambda t, v: np.random.default_rng(0).normal(t, 1.0),
    "rng.normal v": lambda t, v: np.random.default_rng(0).normal(v, 1.0),
    "struct": lambda t, v: struct.pack("d", t),
    "array.array": lambda t, v: array.array("d", [t]),
    "array.array v": lambda t, v: array.array("d", v),
    "float": lambda t, v: float(t),
    "int": lambda t, v: int(t),
    "complex": lambda t, v: complex(t),
    "round": lambda t, v: round(t, 2),
    "math.floor": lambda t, v: math.floor(t),
    "math.trunc": lambda t, v: math.trunc(t),
    "operator.index": lambda t, v: operator.index(t),
    "divmod": lambda t, v: divmod(t, 2.0),
    "math.exp": lambda t, v: math.exp(t),
    "math.hypot": lambda t, v: math.hypot(t, 1.0),
    "math.fsum": lambda t, v: math.fsum([t, t]),
    "math.prod": lambda t, v: math.prod([t, t]),
    "math.isclose": lambda t, v: math.isclose(t, t),
    "math.dist": lambda t, v: math.dist([t, t], [0, 0]),
    "cmath.exp": lambda t, v: cmath.exp(t),
    "statistics.mean": lambda t, v: statistics.mean([t, t]),
    "statistics.fmean": lambda t, v: statistics.fmean([t, t]),
    "sum": lambda t, v: sum([t, t]),
    "pow": lambda t, v: pow(t, 2),
    "max": lambda t, v: max(t, 0.0),
    "sorted": lambda t, v: sorted([t, t * 2]),
    "random.gauss": lambda t, v: random.gauss(t, 1.0),
    "decimal": lambda t, v: decimal.Decimal(t),
    "fractions": lambda t, v: fractions.Fraction(t),
    "json": lambda t, v: json.dumps(t),
    "tolist": lambda t, v: v.tolist(),
    "item": lambda t, v: t.item(),
    "memoryview": lambda t, v: memoryview(v),
    "bytes": lambda t, v: bytes(v),
    "np.frombuffer": lambda t, v: np.frombuffer(v),
    "np.from_dlpack": lambda t, v: np.from_dlpack(v),
    "np.ndarray(buffer)": lambda t, v: np.ndarray((3,), buffer=v),
    "np.isclose list": lambda t, v: np.array_equal([t, t], [t, t]),
    "np.vander": lambda t, v: np.vander([t, t]),
    "np.tri": lambda t, v: np.kron([t, t], z()),
    "np.pad list": lambda t, v: np.pad([t, t], 1),
    "np.pad constant": lambda t, v: np.pad(z(), 1, constant_values=t),
    "np.roll list": lambda t, v: np.roll([t, t], 1),
    "np.stack mixed": lambda t, v: np.stack([z(), [t, t, t]]),
    "np.linalg.solve list": lambda t, v: np.linalg.solve([[t, 0.0], [0.0, t]], [1.0, 1.0]),
}
"""What a program may do with a traced number `t` and a traced vector `v`."""

MODES: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "gradient": lambda f: dg.grad(f)(VALUES),
    "gradient of a gradient": lambda f: dg.grad(lambda x: dg.grad(f)(x).sum())(VALUES),
    "gradient of a batch": lambda f: dg.grad(lambda x: dg.vmap(f)(x[None]).sum())(VALUES),
    "Jacobian forwards": lambda f: dg.func.jacfwd(f)(VALUES),
    "Hessian": lambda f: dg.hessian(f)(VALUES),
    "tangent": lambda f: gradops.jvp(f, [VALUES], [VALUES]),
    "tangent of an array": lambda f: dg.func.jvp(f, (VALUES,), (VALUES,)),
    "batch": lambda f: gradops.vmap(f)(VALUES[None]),
    "batch of arrays": lambda f: dg.vmap(f)(VALUES[None]),
    "series": lambda f: gradops.jet(f, [VALUES], [[VALUES]]),
    "trace": lambda f: sg.trace(f, [VALUES]),
    "function": lambda f: sg.function(f)(VALUES),
    "graph": lambda f: in_graph(f),
    "tensor": lambda f: f(dg.tensor(VALUES, requires_grad=True)),
}


def in_graph(f):
    with sg.Graph().as_default():
        return f(sg.placeholder("float64", [3]))


MEANT = {"item", "tolist"}  # in PyTorch, and with derivatives forwards without a face


ON_RESULTS = "call .item() on what the call returns"  # which is over by then, and loses nothing
DRAWN = {"random.gauss"}  # what a traced function may not do at all


def is_traced(y):
    """Whether something has a traced value in it."""
    if isinstance(y, np.ndarray) and y.dtype == object:
        y = y.ravel().tolist()
    if isinstance(y, list | tuple):
        return any(map(is_traced, y))
    return hasattr(y, "gradop_level")


def fault_of(f, t, v):
    """The fault in how a way to a plain array ends, or nothing."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = f(t, v)
        except Exception as error:
            return fault_of_error(error)
    cuts = [w for w in seen if issubclass(w.category, DetachWarning)]
    if not cuts:
        return "" if is_traced(found) else f"is silent, and gives {found!r}"
    files = {w.filename for w in cuts}
    return "" if files == {__file__} else f"warns of {files}"


def fault_of_error(error):
    """The fault of an error: it has no line, or its hint loses the gradient."""
    if type(error) is ValueError and isinstance(error.__cause__, GradError):
        error = error.__cause__
    said = str(error)
    advice = said.partition("hint: ")[2].replace(ON_RESULTS, "")
    if any(word in advice for word in ("detach", "item()", "numpy()", ".value")):
        return f"advises what loses the gradient: {said}"
    if isinstance(error, GradError) and "test_plain_arrays.py:" not in said:
        return f"names no line: {said}"
    return ""


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_detached_in_silence(mode):
    faults = []

    def program(x):
        t, v = x[0] * 1.0, x * 1.0
        for name, f in WAYS.items():
            if name in DRAWN and mode == "function":
                continue
            fault = fault_of(f, t, v)
            if fault and not (name in MEANT and mode in ("tensor", "tangent", "series")):
                faults.append(f"{name} {fault}")
        return (x * x).sum()

    MODES[mode](program)
    assert not faults, "\n".join(faults)


def stacked(x):
    return np.stack([x[i] * 2 * x[i] for i in range(3)]).sum()


def collected_in_zeros(x):
    ys = np.zeros_like(x)
    for i in range(3):
        ys[i] = x[i] * 2 * x[i]
    return ys.sum()


def collected_in_another_shape(x):
    ys = np.zeros_like(x, shape=(3, 1))
    for i in range(3):
        ys[i, 0] = x[i] * 2 * x[i]
    return ys.sum()


def collected_anew(x):
    ys = np.zeros_like(x, shape=3)
    for i in range(3):
        ys = ys.at[i].set(x[i] * 2 * x[i])
    return ys.sum()


def directly(x):
    return (2 * x * x).sum()


WRITABLE = [
    "gradient", "gradient of a batch", "Jacobian forwards", "Hessian", "tangent of an array",
    "batch of arrays", "tensor",
]  # fmt: skip


def found_in(mode, f):
    """The results of a function in a mode, as arrays."""
    found = MODES[mode](f)
    return [np.asarray(x) for x in gradops.leaves_of(getattr(found, "detach", lambda: found)())]


@pytest.mark.parametrize("f", [stacked, collected_in_zeros, collected_in_another_shape])
@pytest.mark.parametrize("mode", WRITABLE)
def test_what_the_hints_advise_is_differentiated(mode, f):
    for got, want in zip(found_in(mode, f), found_in(mode, directly), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("f", [stacked, collected_anew])
def test_what_the_hints_advise_is_built(f):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [3])
        y = f(x)
        graph = sg.freeze([y, *sg.gradients(y, x)], [x])
    value, gradient = sg.compile(graph)(VALUES)
    assert value == 28
    np.testing.assert_array_equal(gradient, 4 * VALUES)


@pytest.mark.parametrize("dtype", [None, "float32", "int64"])
@pytest.mark.parametrize("shape", [(), 3, (2, 0), (2, 3)])
@pytest.mark.parametrize("function", [np.zeros_like, np.ones_like, np.empty_like])
def test_arrays_like_others_of_another_shape_take_part(function, shape, dtype):
    want = function(VALUES, dtype, shape=shape)
    for x in (dg.array(VALUES), dg.tensor(VALUES), dg.array(np.ones((0, 2)))):
        found = function(x, dtype, shape=shape)
        assert type(found) is type(x)
        assert (found.shape, found.dtype) == (want.shape, want.dtype)
        found[...] = 5
        assert (np.asarray(found) == 5).all()


def test_numpys_error_in_the_place_of_ours_is_replaced_and_no_error_of_the_program():
    def written(x):
        a = np.zeros(3)
        a[0] = x[0]
        return x.sum()

    def raised(x):
        try:
            np.asarray(x)
        except GradError as error:
            raise ValueError("of the program") from error

    with pytest.raises(gradops.TransformError, match=r"plain array.*\n.*test_plain_arrays\.py"):
        dg.grad(written)(VALUES)
    with pytest.raises(ValueError, match="of the program"):
        dg.grad(raised)(VALUES)


def test_a_list_of_graphs_values_names_the_line_and_the_way_out():
    with sg.Graph().as_default():
        t = sg.placeholder("float64", [3])[0]
        a = np.zeros(3)
        with pytest.raises(gradops.ValueUnknownError, match=r"test_plain_arrays.*\n.*np\.stack"):
            np.array([t, t])
        with pytest.raises(gradops.ValueUnknownError, match=r"np\.stack\(values\).*\.at\[i\]"):
            a[:] = t
        ys = np.zeros_like(t, shape=3)
        with pytest.raises(gradops.NumPyCallError, match=r"\.at\[index\].*np\.stack"):
            ys[0] = t
