"""A compiled function does what the Python function does: results, gradients, writes, refusals."""

import gc
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import GraphError, TapeError

OUTSIDE = None  # what the programs below that read a global read
START, X = np.float32([1.0, 2.0, -3.0]), np.float32([0.5, -1.0, 2.0])


class Box:
    """An object of the user."""

    scale = 1.0

    def __init__(self, w):
        self.w = w

    def used(self, x):
        return self.use(self.w, x)


class Slotted:
    __slots__ = ("w",)

    def __init__(self, w):
        self.w = w


class Holding(dg.nn.Module):
    def __init__(self, parameter=None, buffer=None):
        super().__init__()
        if parameter is not None:
            self.weight = parameter
        self.register_buffer("running", buffer)

    def forward(self, x):
        return self.weight * x


def leaf():
    return dg.tensor(START, requires_grad=True)


def argument(use, wrap):
    f, w = wrap(lambda x, w: use(w, x)), leaf()
    return w, lambda x: f(x, w)


def keyword(use, wrap):
    f, w = wrap(lambda x, more: use(more["w"], x)), leaf()
    return w, lambda x: f(x, more={"w": w})


def closure(use, wrap):
    w = leaf()
    return w, wrap(lambda x: use(w, x))


def nested_closure(use, wrap):
    w = leaf()

    def inner(x):
        return use(w, x)

    return w, wrap(lambda x: inner(x))


def default(use, wrap):
    w = leaf()
    return w, wrap(lambda x, w=w: use(w, x))


def outer_name(use, wrap):
    global OUTSIDE
    OUTSIDE = leaf()
    return OUTSIDE, wrap(lambda x: use(OUTSIDE, x))


def name_in_a_namespace(use, wrap):
    names = {"use": use, "w": leaf()}  # of a module without a name, as a doctest's is
    exec("def f(x):\n    return use(w, x)", names)
    return names["w"], wrap(names["f"])


def attribute_of_a_class(use, wrap):
    names = {"use": use, "Box": Box}
    exec("class Own(Box):\n    def __call__(self, x):\n        return use(self.w, x)", names)
    own = names["Own"](leaf())
    return own.w, wrap(own)


def in_a_slot(use, wrap):
    slotted = Slotted(leaf())
    return slotted.w, wrap(lambda x: use(slotted.w, x))


def method(use, wrap):
    box = Box(leaf())
    box.use = use
    return box.w, wrap(box.used)


def attribute(use, wrap):
    box = Box(leaf())
    return box.w, wrap(lambda x: use(box.w, x))


def in_a_structure(use, wrap):
    ws = {"w": [leaf()]}
    return ws["w"][0], wrap(lambda x: use(ws["w"][0], x))


def parameter(use, wrap):
    module = Holding(dg.nn.Parameter(dg.tensor(START)))
    return module.weight, wrap(lambda x: use(module.weight, x))


def parameter_of_an_argument(use, wrap):
    module = Holding(dg.nn.Parameter(dg.tensor(START)))
    f = wrap(lambda module, x: use(module.weight, x))
    return module.weight, lambda x: f(module, x)


def buffer(use, wrap):
    module = Holding(buffer=dg.tensor(START))
    return module.running, wrap(lambda x: use(module.running, x))


def optimized(use, wrap):
    w = leaf()
    optimizer = dg.optim.Adam([w])
    return w, wrap(lambda x: use(optimizer.param_groups[0]["params"][0], x))


def optimizer_state(use, wrap):
    w = leaf()
    optimizer = dg.optim.Adam([w])
    (w * w).sum().backward()
    optimizer.step()
    mean = optimizer.state[w]["exp_avg"]
    return mean, wrap(lambda x: use(optimizer.state[w]["exp_avg"], x))


def view(use, wrap):
    base = dg.tensor(np.stack([START, START]))
    w = base[1]
    return w, wrap(lambda x: use(w, x))


def base_of_a_view(use, wrap):
    w = dg.tensor(START)
    tail = w[1:]

    def f(x):
        found = use(w, x)
        return found, tail * 1

    return w, wrap(f)


def result(use, wrap):
    w = leaf() * 1
    return w, wrap(lambda x: use(w, x))


def argument_twice(use, wrap):
    f, w = wrap(lambda x, u, w: (use(w, x), u * 1)), leaf()
    return w, lambda x: f(x, w, w)


def argument_and_captured(use, wrap):
    w = leaf()
    f = wrap(lambda x, u: (use(w, x), u * 1))
    return w, lambda x: f(x, w)


PLACES = [
    argument, keyword, closure, nested_closure, default, outer_name, name_in_a_namespace,
    attribute_of_a_class, in_a_slot, method, attribute, in_a_structure,
    parameter, parameter_of_an_argument, buffer, optimized, optimizer_state, view, base_of_a_view,
    result, argument_twice, argument_and_captured,
]  # fmt: skip


def reads(w, x):
    return (w * x).sum()


def reads_itself(w, x):
    return w


def passes_a_gradient(w, x):
    return w * w * x


def cuts(w, x):
    with dg.no_grad():
        y = w * 2
    return w * w.detach() * y * x


def accumulates(w, x):
    if w.requires_grad:
        (w * w * x).sum().backward()


def clears(w, x):
    w.grad = None
    accumulates(w, x)


def takes_a_gradient(w, x):
    return dg.autograd.grad((w * w * x).sum(), w) if w.requires_grad else None


def writes(w, x):
    with dg.no_grad():
        w.mul_(x)
    return w * 2


def copies(w, x):
    with dg.no_grad():
        w.copy_(x * 2)


def sets_an_item(w, x):
    with dg.no_grad():
        w[1:] = x[1:]
    return w.sum()


def augments(w, x):
    with dg.no_grad():
        w += x
        w *= 2.0


def writes_to_a_view(w, x):
    with dg.no_grad():
        w[:2].add_(1)
        w.view(3, 1)[2] = x[0]


def writes_to_data(w, x):
    w.data.add_(x)
    w.detach()[0] = 5.0


def sets_data(w, x):
    w.data = w.data - x


def descends(w, x):
    clears(w, x)
    if w.requires_grad and w.is_leaf:
        with dg.no_grad():
            w -= 0.1 * w.grad


def returns_a_view(w, x):
    return w[1:], x[:1]


USES = [
    reads, reads_itself, passes_a_gradient, cuts, accumulates, clears, takes_a_gradient, writes,
    copies, sets_an_item, augments, writes_to_a_view, writes_to_data, sets_data, descends,
    returns_a_view,
]  # fmt: skip
CANNOT = {("result", "accumulates"), ("result", "clears"), ("result", "descends")}
NEITHER_CAN = {("result", "sets_data")}


def story(place, use, wrap):
    """All that can be seen of three calls, with writes from outside and backward between them."""
    w, run = place(use, wrap)
    seen = []
    for k in range(3):
        found = run(dg.tensor(X * (k + 1)))
        leaves = found if isinstance(found, tuple) else (found,)
        leaves = [y for x in leaves for y in (x if isinstance(x, tuple) else (x,))]
        for y in leaves:
            if isinstance(y, dg.Tensor):
                seen += [y.tolist(), y.requires_grad, str(y.dtype), y is w]
                if y.requires_grad and use not in (writes, sets_an_item):
                    g = dg.autograd.grad(y.sum(), w, retain_graph=True, allow_unused=True)
                    seen.append([None if x is None else x.tolist() for x in g])
            else:
                seen.append(y)
        seen += [w.tolist(), w.requires_grad, w.is_leaf]
        if w.is_leaf:
            seen.append(None if w.grad is None else w.grad.tolist())
        with dg.no_grad():
            w.mul_(0.5)
    return seen


@pytest.mark.parametrize("use", USES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
def test_what_is_captured_is_read_and_written_as_by_the_function_itself(place, use):
    if (place.__name__, use.__name__) in NEITHER_CAN:
        return
    wanted = story(place, use, lambda f: f)
    if (place.__name__, use.__name__) in CANNOT:
        with pytest.raises(GraphError, match=r"backward\(\) inside .* arrives at"):
            story(place, use, sg.function)
    else:
        assert story(place, use, sg.function) == wanted


class Centuple(dg.autograd.Function):
    """Has a backward that is not its derivative, so that it shows which one was taken."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 100 * x


def hooked(x):
    y = x * x
    y.register_hook(lambda g: g * 2)
    return y * x


def penalized(x):
    (g,) = dg.autograd.grad((x**3).sum(), x, create_graph=True)
    return g * g


def partly_cut(x):
    with dg.no_grad():
        c = x * 2
    return x * x * c * x.detach()


def written(x):
    y = x * x
    y[0] = x[1] * x[2]
    y.add_(1.0)
    return y * x


PROGRAMS = {
    "custom": Centuple.apply, "hooked": hooked, "penalized": penalized, "partly cut": partly_cut,
    "written": written, "chosen": lambda x: dg.where(x > 1.5, x * x, -x * x),
    "checkpointed": lambda x: dg.autograd.checkpoint(lambda x: dg.sin(x) * x, x),
    "views": lambda x: (x.view(3, 1) @ x.view(1, 3)).sum(0),
    "random": lambda x: x * x * dg.random.normal(KEY, (3,)),
}  # fmt: skip
KEY = dg.random.key(0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_and_second_derivatives_are_those_of_the_program(name):
    def derivatives(f):
        x = dg.tensor(START, requires_grad=True)
        y = f(x)
        (g,) = dg.autograd.grad(y.sum(), x, create_graph=True)
        (h,) = dg.autograd.grad((g * x.detach()).sum(), x)
        return [t.detach().numpy() for t in (y, g, h)]

    wanted, got = derivatives(PROGRAMS[name]), derivatives(sg.function(PROGRAMS[name]))
    for a, b in zip(wanted, got, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-6)  # float32, sums in any order


def chosen_entries(x, i, mask):
    y = x * 1
    y[i] = 7.0
    y.masked_fill_(mask, 5.0)
    return y, x[i], x[mask].sum(), dg.where(mask, x, -x)


@pytest.mark.parametrize("passed", [False, True], ids=["captured", "passed"])
def test_indices_and_masks_are_read_in_each_call(passed):
    x, i, mask = dg.tensor(START), dg.tensor([0, 2]), dg.tensor([True, False, False])
    f = sg.function(chosen_entries) if passed else sg.function(lambda x: chosen_entries(x, i, mask))
    for _ in range(2):
        got = f(x, i, mask) if passed else f(x)
        assert [y.tolist() for y in got] == [y.tolist() for y in chosen_entries(x, i, mask)]
        i.copy_(dg.tensor([1, 2]))
        mask.copy_(dg.tensor([False, True, False]))


def test_memory_is_freed_by_counting_references():
    def refer():
        w, layer = dg.ones(3, requires_grad=True), dg.nn.Linear(3, 1)
        optimizer = dg.optim.Adam(layer.parameters())

        def step(x):
            optimizer.zero_grad()
            loss = layer(x * w).sum()
            loss.backward()
            optimizer.step()
            return loss * 1

        f, g = sg.function(step), sg.function(lambda x: x * w * w)
        f(dg.ones(3)), f(dg.ones(3))
        y = g(dg.ones(3))
        (slope,) = dg.autograd.grad(y.sum(), w, create_graph=True)
        dg.autograd.grad(slope.sum(), w)
        return [weakref.ref(x) for x in (w, layer, optimizer, f, g, y)]

    gc.collect()
    gc.disable()
    try:
        assert [ref() for ref in refer()] == [None] * 6
    finally:
        gc.enable()


TRANSFORMS = {
    "itself": lambda f, x: f(x),
    "grad": lambda f, x: dg.func.grad(f)(x),
    "vjp": lambda f, x: dg.func.vjp(f, x)[1](dg.tensor(2.0, dtype=x.dtype))[0],
    "jvp": lambda f, x: dg.func.jvp(f, (x,), (dg.ones_like(x),))[1],
    "jacrev": lambda f, x: dg.func.jacrev(f)(x),
    "jacfwd": lambda f, x: dg.func.jacfwd(f)(x),
    "hessian": lambda f, x: dg.func.hessian(f)(x),
    "jacrev of grad": lambda f, x: dg.func.jacrev(dg.func.grad(f))(x),
    "vmap of grad": lambda f, x: dg.vmap(dg.func.grad(f))(dg.stack([x, 2 * x])),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_transform_of_a_compiled_function_keeps_what_is_captured_connected(transform):
    def gradient(compiled):
        w = dg.tensor([1.0, 2.0], dtype=dg.float64, requires_grad=True)
        f = compiled(lambda x: (x * x * w).sum() * w.prod())
        found = transform(f, dg.tensor([3.0, 5.0], dtype=dg.float64))
        (found.sum() + w.sum()).backward()
        return w.grad.tolist()

    assert gradient(sg.function) == gradient(lambda f: f)


def test_a_plain_argument_that_is_written_to_later_has_its_old_value_in_backward():
    def f(x, compiled):
        product, total, b = compiled(lambda a, b: a * a * b), 0.0, np.zeros(2)
        for i in range(3):
            b[:] = i + 1
            total = total + np.sum(product(x, b))
        return total

    x = np.array([1.0, 2.0])
    want = dg.grad(lambda x: f(x, lambda g: g))(x)
    assert dg.grad(lambda x: f(x, sg.function))(x).tolist() == want.tolist() == [12.0, 24.0]


def test_a_large_plain_argument_that_is_written_to_later_is_refused_in_backward():
    def f(x):
        b = np.ones(20_000)
        y = np.sum(sg.function(lambda a, b: a * a * b)(x, b))
        b[:] = 2
        return y

    with pytest.raises(TapeError, match="has other entries now: its gradient would be wrong"):
        dg.grad(f)(np.ones(20_000))


@pytest.mark.parametrize("scalar", [np.float64, np.float32, np.float16, np.int64, np.bool_])
@pytest.mark.parametrize("dtype", [dg.int64, dg.float32, dg.float16, dg.uint8])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_scalar_of_numpy_counts_as_a_number_beside_a_tensor(scalar, dtype, shape):
    def f(x, k):
        return x * k

    x, k = dg.ones(shape, dtype=dtype), scalar(1)
    assert sg.function(f)(x, k).dtype == f(x, k).dtype
    a = np.ones(shape, dtype)[()]
    assert sg.function(f)(a, k).dtype == f(a, k).dtype
