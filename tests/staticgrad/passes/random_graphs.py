"""Random graphs, with feeds: what passes and generated code are compared with the interpreter on.

A graph is grown from placeholders by random steps. A step that type inference refuses is left out.
"""

from dataclasses import dataclass

import numpy as np

import gradops
import staticgrad as sg
from gradops import GradError

STEPS = 24
FLOATS = ("float64", "float32", "float16")
DTYPES = (*FLOATS, "complex64", "complex128", "int64", "int32", "uint8", "int8", "bool")
SHAPES = ((), (3,), (1,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 1, 3), (0,), (0, 3), (2, 0),
          (5,), (5, 2), (6, 3), (4, 3, 3))  # fmt: skip
NAMED = (("n",), ("n", 3), (2, "n"), ("n", "m"))
ENDS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, 1e30, 1e-30, 300.0)
REFUSED = (GradError, TypeError, ValueError, IndexError, OverflowError, NotImplementedError)
UNARY = [
    sg.sin, sg.tanh, sg.exp, sg.log, sg.sqrt, sg.abs, sg.square, sg.sigmoid, sg.floor, sg.sign,
    sg.nn.relu, sg.nn.softplus, sg.negative, sg.cast, sg.identity, sg.stop_gradient, sg.logical_not,
    sg.ones_like, sg.zeros_like, sg.real, sg.conj, sg.log1p, sg.expm1, sg.lgamma, sg.round,
]  # fmt: skip
BINARY = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b,
    lambda a, b: a**b, sg.maximum, sg.minimum, lambda a, b: a < b, sg.equal, lambda a, b: a // b,
    lambda a, b: a % b, sg.logical_and, lambda a, b: sg.where(a > b, a, b), gradops.OPS["masked"],
    gradops.OPS["strong_product"], sg.matmul, lambda a, b: sg.matmul(b, a),
]  # fmt: skip


def product(x, **axes):
    """A product, of floats up to 1: others may overflow in one order alone, and then be NaN."""
    return sg.reduce_prod(sg.clip_by_value(x, -1.0, 1.0) if x.dtype.kind == "f" else x, **axes)


REDUCTIONS = [
    sg.reduce_sum, sg.reduce_mean, sg.reduce_max, sg.reduce_min, product, sg.reduce_all,
    sg.reduce_any, sg.reduce_logsumexp, sg.argmax, sg.cumsum, sg.nn.softmax, sg.nn.log_softmax,
    gradops.OPS["cumprod"],
]  # fmt: skip
KEYS = [
    (slice(1, None),), (slice(None, None, -1),), (None,), (Ellipsis, None), (0,), (-1,),
    (Ellipsis, slice(0, 2)), (slice(None), None), (slice(0, 0),), (slice(None, None, 2),),
]  # fmt: skip


@dataclass
class RandomGraph:
    """A graph, the values of its inputs, and the seed that both are made from."""

    seed: int
    graph: sg.FrozenGraph
    feeds: list

    def __str__(self):
        feeds = "\n".join(
            f"{e.name} = {x!r}  # strides {getattr(x, 'strides', None)}"
            for e, x in zip(self.graph.inputs, self.feeds)
        )
        return f"seed {self.seed}\n{sg.to_text(self.graph, lines=False)}\n{feeds}"


def one_of(rng, options):
    """An entry of a sequence."""
    return options[int(rng.integers(len(options)))]


def recent(rng, pool):
    """An expression, mostly one of the newest."""
    return one_of(rng, pool[-4:] if rng.random() < 0.7 else pool)


def random_graph(seed, named=NAMED, more=(), rows=1000):
    """A graph and feeds. One in three inputs has a shape in `named`; `more` are further steps.

    What takes a turn for each row of an array is done with at most so many `rows`.
    """
    rng = np.random.default_rng(seed)
    steps = [*STEPS_BY_WEIGHT, *more]
    with sg.Graph().as_default(), np.errstate(all="ignore"):
        pool = [leaf(rng, i, named) for i in range(int(rng.integers(1, 4)))]
        inputs = list(pool)
        for _ in range(int(rng.integers(3, STEPS))):
            step = one_of(rng, steps)
            if not (step in (looped, by_rows) and any(has_more_rows(e, rows) for e in pool)):
                grow(rng, pool, inputs, step)
        found = [e for e in pool if type(e.type) is gradops.ArrayType]
        graph = sg.freeze([recent(rng, found) for _ in range(3)], inputs)
    return RandomGraph(seed, graph, feeds(rng, graph.inputs))


def leaf(rng, i, named):
    """A placeholder; one in three has a shape in `named`."""
    shapes = named if rng.random() < 0.33 else SHAPES
    return sg.placeholder(dtype(rng), one_of(rng, shapes), name=f"x{i}")


def dtype(rng):
    """The name of a dtype, mostly of floats."""
    return one_of(rng, FLOATS if rng.random() < 0.65 else DTYPES)


def has_more_rows(e, rows):
    """True for an expression with a known first axis that is longer."""
    return bool(e.shape) and isinstance(e.shape[0], int) and e.shape[0] > rows


def grow(rng, pool, inputs, step):
    """Add the result of a random step to the pool; nothing if it is refused."""
    try:
        made = step(rng, pool)
        if step is derivative:
            made = made(inputs)
    except REFUSED:
        return
    several = made if isinstance(made, list | tuple) else [made]
    pool += [e for e in several if isinstance(e, sg.Expr)]


def constant(rng, pool):
    """A constant with entries at which functions end."""
    name, shape = dtype(rng), one_of(rng, SHAPES)
    return sg.constant(values(rng, name, shape))


def values(rng, name, shape):
    """An array of a dtype and shape; some entries are infinite, no numbers, or large."""
    kind = np.dtype(name).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return np.asarray(rng.integers(0, 4, shape)).astype(name)
    with np.errstate(all="ignore"):
        ends = rng.choice(ENDS, shape)
        x = np.where(
            rng.random(shape) < (0.15 if rng.random() < 0.5 else 0.0), ends, rng.normal(size=shape)
        )
        if kind == "c":
            x = x + 1j * rng.normal(size=shape)
        return np.asarray(x).astype(name)


def unary(rng, pool):
    """A function of one expression."""
    f, x = one_of(rng, UNARY), recent(rng, pool)
    return f(x, dtype(rng)) if f is sg.cast else f(x)


def binary(rng, pool):
    """A function of two expressions, or of one and a number."""
    a, b = recent(rng, pool), recent(rng, pool)
    if rng.random() < 0.3:
        b = one_of(rng, [0, 1, 2, -1, 0.5, 1.0, 0.0, float("inf")])
        if rng.random() < 0.3:
            a, b = b, a
    return one_of(rng, BINARY)(a, b)


def reduced(rng, pool):
    """A reduction along an axis, or of all."""
    f, x = one_of(rng, REDUCTIONS), recent(rng, pool)
    axis = one_of(rng, [None, 0, -1, 1])
    if f in (sg.reduce_sum, sg.reduce_mean, sg.reduce_max) and rng.random() < 0.5:
        return f(x, axis, keepdims=True)
    return f(x, axis=axis) if axis is not None else f(x)


def moved(rng, pool):
    """Another arrangement of entries."""
    x = recent(rng, pool)
    choices = [
        lambda: sg.transpose(x), lambda: sg.reshape(x, (-1,)), lambda: x[one_of(rng, KEYS)],
        lambda: sg.expand_dims(x, 0), lambda: sg.squeeze(x), lambda: sg.reverse(x, [0]),
        lambda: sg.concat([x, x], 0), lambda: sg.stack([x, recent(rng, pool)]),
        lambda: sg.unstack(x), lambda: sg.tile(x, [2] * len(x.shape)), lambda: sg.split(x, 2, 0),
        lambda: sg.pad(x, [[1, 0]] * len(x.shape)), lambda: sg.gather(x, np.array([0, 0])),
        lambda: sg.broadcast_to(x, (2, *x.shape)), lambda: sg.fill([2, 2], recent(rng, pool)),
    ]  # fmt: skip
    return one_of(rng, choices)()


def looped(rng, pool):
    """A loop, a scan or a map."""
    x = recent(rng, pool)
    f = body(rng, pool)
    choices = [
        lambda: sg.fori(0, int(rng.integers(0, 4)), lambda i, s: f(s), x),
        lambda: sg.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, f(s)), [0, x]),
        lambda: sg.scan(lambda s, e: f(s) + sg.reduce_sum(e), x, recent(rng, pool)),
        lambda: sg.map_fn(f, x),
    ]
    return one_of(rng, choices)()


def recurred(rng, pool):
    """A vector that each step takes through one or two matrices, and what steps give beside it."""
    kind = one_of(rng, ["float64", "float32"])
    s, m, steps = (of_shape(rng, pool, kind, n) for n in ((3,), (3, 3), (int(rng.integers(4)), 3)))
    forms = [
        lambda s: sg.reduce_logsumexp(s[:, None] + m, 0), lambda s: sg.reduce_logsumexp(m + s, 1),
        lambda s: sg.reduce_sum(m * s, 1), lambda s: sg.reduce_sum(s[:, None] * m, 0),
        lambda s: sg.matmul(m, s), lambda s: sg.tanh(s) * m[0],
    ]  # fmt: skip
    gifts = [lambda s: s, lambda s: s[:, None] + m, lambda s: sg.exp(s) * 2, lambda s: m * s]
    first, second, gift = one_of(rng, forms), one_of(rng, [*forms, sg.tanh]), one_of(rng, gifts)
    last, given = sg.map_accumulate(lambda s, e: (second(first(s)) + e, gift(s)), s, steps)
    return [last, given]


def of_shape(rng, pool, kind, shape):
    """An expression of a dtype and shape: one of the pool, or a constant."""
    found = [e for e in pool if type(e.type) is gradops.ArrayType and e.shape == shape]
    if found and rng.random() < 0.7:
        return sg.cast(one_of(rng, found), kind)
    return sg.constant(values(rng, kind, shape))


def branched(rng, pool):
    """A branch."""
    x, f, g = recent(rng, pool), body(rng, pool), body(rng, pool)
    return sg.cond(sg.reduce_sum(sg.cast(x, "float64")) > 0, lambda: f(x), lambda: g(x))


def by_rows(rng, pool):
    """What is done with each row of an array by itself: joined or added, in some order."""
    x, f = recent(rng, pool), body(rng, pool)
    g, shared, factors = one_of(rng, UNARY), recent(rng, pool), rng.integers(0, 3, 8)
    count = x.shape[0] if isinstance(x.shape[0], int) else 5
    order = one_of(rng, [range(count), range(count - 1, -1, -1), rng.permutation(count).tolist()])
    choices = [
        lambda i: f(x[i]), lambda i: g(f(x[i])), lambda i: x[i] * factors[i % 8] + f(x[i]),
        lambda i: f(x[i]) + shared, lambda i: sg.reduce_sum(f(x[i])) * x[i],
        lambda i: sg.matmul(x[i], f(x[i])), lambda i: f(x[i]) - f(x[(i + 1) % count]),
        lambda i: f(sg.stack([x[i, 0], x[i, 1]])),
    ]  # fmt: skip
    step = one_of(rng, choices)
    rows = [step(i) for i in order]
    return one_of(rng, [sg.stack, lambda rows: sum(rows[1:], rows[0]), lambda rows: rows[-1],
                        lambda rows: sg.concat([row[None] for row in rows], 0)])(rows)  # fmt: skip


def solved(rng, pool):
    """Right sides that one triangular matrix is solved with."""
    a = sg.cast(recent(rng, pool), "float64")
    a = sg.where(sg.eye(3, dtype="float64") > 0, sg.exp(sg.tanh(a)), a)
    lower = bool(rng.random() < 0.5)
    sides = [sg.cast(recent(rng, pool), "float64") for _ in range(int(rng.integers(1, 4)))]
    solve = gradops.OPS["solve_triangular"]
    return [solve(a, b, lower=lower) for b in sides]


def called(rng, pool):
    """A function of the graph, with a gradient of its own."""
    x, f = recent(rng, pool), body(rng, pool)
    g = sg.custom_gradient(lambda a: (f(a), lambda d: d * 2))
    return g(x)


def body(rng, pool):
    """A function of one expression that keeps its type, and may read another."""
    other = recent(rng, pool)
    choices = [
        lambda s: s * s, lambda s: s + 1, lambda s: sg.sin(s) * 2, lambda s: s - s * 0.5,
        lambda s: s * other, lambda s: sg.cast(sg.tanh(sg.cast(s, "float64")), s.dtype),
        lambda s: sg.where(s > 0, s, s * 2), lambda s: s, lambda s: sg.maximum(s, 0) + other,
    ]  # fmt: skip
    return one_of(rng, choices)


def derivative(rng, pool):
    """Gradients of a sum with respect to all inputs that are floats."""
    y = recent(rng, pool)

    def of(inputs):
        wanted = [x for x in inputs if x.dtype.kind == "f"]
        return [g for g in sg.gradients(sg.reduce_sum(sg.real(y)), wanted) if g is not None]

    return of


STEPS_BY_WEIGHT = [
    *[unary] * 5, *[binary] * 7, *[reduced] * 4, *[moved] * 5, constant, constant, looped, looped,
    recurred, recurred, branched, called, derivative, derivative, by_rows, by_rows, solved,
]  # fmt: skip


def feeds(rng, inputs):
    """Values of the inputs: some are one array, read-only, strided or in another layout."""
    sizes = {"n": int(rng.integers(0, 4)), "m": int(rng.integers(1, 4))}
    made = []
    for e in inputs:
        shape = tuple(n if isinstance(n, int) else n.evaluate(sizes) for n in e.shape)
        made.append(laid_out(rng, values(rng, e.dtype.name, shape), made))
    return made


def laid_out(rng, x, before):
    """The array, a strided or reversed one with its entries, or one that was fed before."""
    x, way = np.asarray(x), rng.random()
    if way < 0.15:
        same = [y for y in before if y.shape == x.shape and y.dtype == x.dtype]
        return one_of(rng, same) if same else x
    if way < 0.25 and x.ndim:
        return np.repeat(x, 2, axis=0)[::2]
    if way < 0.35:
        return np.asfortranarray(x) if x.ndim else x
    if way < 0.45 and x.ndim:
        return x[::-1]
    if way < 0.55:
        x.flags.writeable = False
    return x
