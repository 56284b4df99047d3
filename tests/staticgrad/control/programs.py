"""Programs of loops and branches, run as graphs and in Python: `t` is staticgrad, or `eager`."""

import functools
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import dynamicgrad as dg
import gradops as ops
import staticgrad as sg

from . import eager

RNG = np.random.default_rng(0)
X, S, W = RNG.normal(size=(2, 3)), RNG.normal(), RNG.normal(size=(3, 3)) / 2
SERIES = RNG.normal(size=(4, 3))


@dataclass(frozen=True, eq=False)
class Program:
    """A function of `t` and of inputs, and data for these."""

    run: Any
    data: dict[str, np.ndarray]
    name: str

    @property
    def wanted(self) -> list[str]:
        """The inputs by which it is differentiated."""
        return [name for name, x in self.data.items() if x.dtype.kind in "fc"]

    def feeds(self, known: bool = True) -> dict[str, sg.Expr]:
        """Placeholders for the inputs, with their sizes or without."""
        return {
            name: sg.placeholder(x.dtype, x.shape if known else [None] * x.ndim, name=name)
            for name, x in self.data.items()
        }

    def tensors(self) -> dict[str, dg.Tensor]:
        """The inputs as tensors."""
        return {name: dg.tensor(x, requires_grad=name in self.wanted)
                for name, x in self.data.items()}  # fmt: skip


PROGRAMS: list[Program] = []


def given(modes: bool = False, **data: Any) -> Any:
    """Add a program for this data; with `modes`, for all ways of going through a loop."""
    arrays = {name: np.asarray(x) for name, x in data.items()}

    def add(program: Any) -> Any:
        if not modes:
            PROGRAMS.append(Program(program, arrays, program.__name__))
        for reverse, residuals in product((False, True), ("stack", "recompute")) if modes else ():
            options = {"reverse": reverse, "residuals": residuals}
            run = lambda t, options=options, **xs: program(t, options, **xs)
            way = f"{residuals}{'-reverse' * reverse}"
            PROGRAMS.append(Program(run, arrays, f"{program.__name__}-{way}"))
        return program

    return add


def total(f: Any) -> Any:
    """A number that depends on all that a program gives, each entry with its own weight."""
    return sum(ops.sum(y * y) for y in ops.flatten(f)[0] if y.dtype.kind == "f")


def eager_values(program: Program) -> Any:
    """What the program gives in Python, and the first and second derivatives of its total."""
    xs = program.tensors()
    y = program.run(eager, **xs)
    wanted = [xs[name] for name in program.wanted]
    first = gradients(total(y), wanted)
    second = gradients(total(first), wanted)
    return [x.value for x in (*ops.flatten(y)[0], *first, *second)]


def gradients(y: Any, xs: Any) -> list[Any]:
    """The gradients of a tensor, zeros where there is none."""
    found: Any = [None] * len(xs)
    if getattr(y, "requires_grad", False):
        found = dg.autograd.grad(y, xs, create_graph=True, allow_unused=True)
    return [dg.zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]


@functools.cache
def graph_values(program: Program, known: bool) -> sg.FrozenGraph:
    """The same as a graph."""
    xs = program.feeds(known)
    y = program.run(sg, **xs)
    wanted = [xs[name] for name in program.wanted]
    first = sg.gradients(total(y), wanted, unconnected="zero")
    second = sg.gradients(total(first), wanted, unconnected="zero")
    return sg.freeze([*ops.flatten(y)[0], *first, *second], list(xs.values()))


# --- loops

for n in (0, 1, 4):

    @given(x=X, n=n)
    def a_power(t, x, n):
        return t.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x + ops.sin(y)), [0, x])[1]

    @given(x=X, n=n)
    def a_count_that_is_fed(t, x, n):
        return t.fori(0, n, lambda i, y: ops.sin(y) * x, x)


@given(x=X, s=S)
def the_data_end_it(t, x, s):
    return t.while_loop(lambda y: ops.sum(y * y) < 50.0, lambda y: y * 1.5 + x * s, [x])


@given(x=X, s=S)
def at_most_so_many_steps(t, x, s):
    body = lambda y, z: [y * 1.5 + x * s, z + y]
    return t.while_loop(lambda y, z: ops.sum(y * y) < 9e9, body, [x, s * x], maximum_iterations=3)


@given(x=X, s=S)
def a_count_among_the_values(t, x, s):
    return t.fori(1, 4, lambda i, y: y * x * i + s, x)


@given(x=X)
def integers_and_truths_beside_floats(t, x):
    body = lambda i, up, y: (i + 1, ops.sum(y) > 0, ops.where(up, ops.sin(y), y * x))
    _, up, y = t.while_loop(lambda i, up, y: i < 4, body, [0, x[0, 0] > 0, x])
    return {"up": up, "y": y}


@given(x=X)
def values_that_change_places(t, x):
    return t.fori(0, 5, lambda i, s: {"a": s["b"], "b": ops.sin(s["a"]) + s["b"]},
                  {"a": x, "b": -2.0 * x})["a"]  # fmt: skip


@given(modes=True, x=SERIES, w=W)
def a_recurrent_network(t, options, x, w):
    return t.scan(lambda h, e: ops.tanh(h @ w + e), x, x[0] * 0.5, **options)


@given(modes=True, x=SERIES)
def a_scan_from_the_first_entry(t, options, x):
    return t.scan(lambda h, e: ops.sin(h) * e + h, x, **options)


@given(modes=True, x=SERIES, w=W)
def states_and_results(t, options, x, w):
    step = lambda s, e: (ops.sin(s) * e, {"u": s @ w, "v": ops.sum(e * s)})
    return t.map_accumulate(step, x[0], x, **options)


@given(x=SERIES, w=W)
def a_fold(t, x, w):
    return t.foldl(lambda h, e: ops.tanh(h @ w) * e, x)


@given(x=SERIES, w=W)
def a_map(t, x, w):
    return t.map(lambda e: (ops.tanh(e @ w) * e, ops.sum(e)), x)


@given(x=SERIES, y=SERIES[:, 0])
def a_map_of_several_arrays(t, x, y):
    return t.map(lambda e: e["x"] * e["y"], {"x": x, "y": y})


@given(x=SERIES[:0], s=S)
def a_scan_of_nothing(t, x, s):
    return t.foldl(lambda h, e: h * ops.sum(e) * s, x, s * s)


@given(x=X[0], s=S)
def a_state_that_grows(t, x, s):
    step = lambda i, y: (i + 1, ops.concatenate([y, ops.sin(y[-2:]) * ops.sum(x) * s], axis=0))
    return t.while_loop(lambda i, y: i < 3, step, [0, x], shape_invariants=[(), (None,)])[1]


@given(x=X, s=S)
def a_state_that_shrinks(t, x, s):
    step = lambda i, y: (i + 1, ops.sin(y[:-1] * s))
    x = ops.reshape(x, shape=(-1,))
    return t.while_loop(lambda i, y: i < 3, step, [0, x], shape_invariants=[(), (None,)])[1]


@given(x=X)
def complex_numbers(t, x):
    c = ops.astype(x, dtype="complex128")
    z = t.fori(0, 3, lambda i, z: z * z * 0.3 + c * (1 + 0.5j), c * (0.3 + 0.1j))
    return ops.real(z) * ops.imag(z)


@given(modes=True, x=SERIES.astype("float32"), w=W.astype("float32"))
def single_precision(t, options, x, w):
    return t.scan(lambda h, e: ops.tanh(h @ w + e), x, x[0], **options)


# --- branches


@given(x=X, s=S, p=True)
@given(x=X, s=S, p=False)
def one_of_two(t, x, s, p):
    a, b = t.cond(p, lambda: [x * x, s], lambda: [x + s, s * s])
    return a * b


for i in range(-1, 4):

    @given(x=X, s=S, i=i)
    def a_choice_of_three(t, x, s, i):
        return t.switch(i, [lambda: x * s, lambda: ops.sin(x), lambda: x * x * s])

    @given(x=X, s=S, i=i)
    def a_choice_by_numbers(t, x, s, i):
        return t.switch(i, {0: lambda: x * s, 2: lambda: ops.sin(x)}, default=lambda: x * x * s)


for s in (-2.0, 0.5, 5.0):

    @given(x=X, s=s)
    def the_first_that_holds(t, x, s):
        pairs = [(s < -1, lambda: x * s), (s < 1, lambda: ops.sin(x))]
        return t.case(pairs, default=lambda: x**2 * s)


@given(s=-0.5)
@given(s=0.5)
def a_branch_that_is_singular_where_it_is_not_taken(t, s):
    return t.cond(s > 0, lambda: ops.log(s), lambda: s * s)


@given(x=X, p=True)
@given(x=X, p=False)
def sizes_that_only_one_branch_has(t, x, p):
    chosen = lambda: ops.sum(ops.sin(x[x > 0]) * x[x > 0])
    return t.cond(p, chosen, lambda: ops.sum(ops.exp(x)))


# --- one inside the other


@given(modes=True, x=SERIES, w=W)
def a_scan_in_a_scan(t, options, x, w):
    inner = lambda h: t.scan(lambda a, e: ops.tanh(a * e), w, h, **options)
    return t.scan(lambda h, e: ops.sum(inner(h) * e, axis=0), x, x[1], **options)


@given(modes=True, x=X, s=S)
def a_loop_in_a_loop(t, options, x, s):
    residuals = {"residuals": options["residuals"]}
    step = lambda i, z: (i + 1, ops.sin(z) * s + z)
    inner = lambda y, n: t.while_loop(lambda i, z: i < n, step, [0, y], **residuals)[1]
    return t.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, inner(y, i) * x), [0, x],
                        **residuals)[1]  # fmt: skip


@given(modes=True, x=SERIES, w=W)
def a_branch_in_a_scan(t, options, x, w):
    turn = lambda h, e: t.cond(ops.sum(e) > 0, lambda: ops.tanh(h @ w + e), lambda: h * e)
    return t.scan(turn, x, x[0], **options)


@given(modes=True, x=SERIES, w=W, p=True)
@given(modes=True, x=SERIES, w=W, p=False)
def a_scan_in_a_branch(t, options, x, w, p):
    scanned = lambda: t.scan(lambda h, e: ops.tanh(h @ w + e), x, x[0], **options)
    return t.cond(p, scanned, lambda: x @ w)


@given(x=X, s=S, p=True, q=False)
@given(x=X, s=S, p=False, q=True)
@given(x=X, s=S, p=True, q=True)
def branches_in_a_branch(t, x, s, p, q):
    inner = lambda: t.cond(q, lambda: ops.sin(x * s), lambda: x**3)
    return t.cond(p, inner, lambda: x * s)


@given(x=SERIES, s=S, i=1)
def all_three(t, x, s, i):
    once = lambda h, e: t.switch(
        i, [lambda: h, lambda: t.fori(0, 2, lambda k, y: y * h + e, h * s)]
    )
    return t.cond(s < 9, lambda: t.scan(once, x, x[0]), lambda: x * s)


@given(x=X, s=S)
def sizes_that_only_a_step_tells(t, x, s):
    return t.fori(0, 3, lambda i, y: y + ops.sum(ops.sin(x[x > y]) * y), s)
