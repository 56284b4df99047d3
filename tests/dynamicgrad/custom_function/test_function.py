"""Operations of one's own."""

from ..behaviour import Table

table = Table()


@table.gives((("FBackward", True, False), [8.0, 27.0], [12.0, 27.0], [12.0, 18.0]))
def fn_basic(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.save_for_backward(x)
            ctx.n = n
            return x**n

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * ctx.n * x ** (ctx.n - 1), None

    x = t.tensor([2.0, 3.0], requires_grad=True)
    y = F.apply(x, 3)
    r = y.grad_fn.name(), y.requires_grad, y.is_leaf
    (g,) = t.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), x)
    return r, y.tolist(), g.tolist(), h.tolist()


@table.gives(((True, 0, 1), [22.0, 24.0], [10.0, 10.0]))
def fn_two_outputs(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a, b = x * 2, x * 3
            ctx.save_for_backward(a)
            return a, b

        @staticmethod
        def backward(ctx, ga, gb):
            (a,) = ctx.saved_tensors
            return ga * a + gb * 10

    x = t.tensor([1.0, 2.0], requires_grad=True)
    a, b = F.apply(x)
    r = a.grad_fn is b.grad_fn, a.output_nr, b.output_nr
    (a.sum() + b.sum() * 2).backward()
    g = x.grad.tolist()
    x.grad = None
    a, b = F.apply(x)
    b.sum().backward()
    return r, g, x.grad.tolist()


@table.refuses("Trying to backward through the graph a second time (or directly access saved ten")
def fn_second_time(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 * len(ctx.saved_tensors)

    x = t.ones(1, requires_grad=True)
    y = F.apply(x)
    y.backward()
    y.backward()


@table.gives([4.0])
def fn_nothing_saved_twice(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = t.ones(1, requires_grad=True)
    y = F.apply(x)
    y.backward()
    y.backward()
    return x.grad.tolist()


@table.refuses("function FBackward returned an incorrect number of gradients (expected 2, got 1)")
def fn_wrong_count(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return g

    x = t.ones(1, requires_grad=True)
    F.apply(x, x).backward()


@table.refuses("but expected shape compatible with")
def fn_wrong_shape(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return t.ones(2)

    x = t.ones(3, requires_grad=True)
    F.apply(x).sum().backward()


@table.refuses("got float")
def fn_wrong_type(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return 3.0

    x = t.ones(3, requires_grad=True)
    F.apply(x).sum().backward()


@table.refuses("differentiate twice a function that was marked with @once_differentiable")
def fn_once(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @t.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = t.ones(3, requires_grad=True)
    (g,) = t.autograd.grad((F.apply(x) * x).sum(), x, create_graph=True)
    g.sum().backward()


@table.gives((True, [10.0, 10.0], [10.0, 10.0], 2))
def fn_dirty(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    w = t.ones(2, requires_grad=True)
    x = w * 5
    y = F.apply(x)
    y.sum().backward()
    return y is x, x.tolist(), w.grad.tolist(), x._version


@table.refuses("a leaf Variable that requires grad")
def fn_dirty_leaf(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    F.apply(t.ones(2, requires_grad=True))


@table.gives((True, False, [2.0, 2.0]))
def fn_constant(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a, b = x * 2, x * 3
            ctx.mark_non_differentiable(b)
            return a, b

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h

    x = t.ones(2, requires_grad=True)
    a, b = F.apply(x)
    a.sum().backward()
    return a.requires_grad, b.requires_grad, x.grad.tolist()


@table.gives([(False, True)])
def fn_unmaterialized(t):
    log = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            log.append((g is None, h is None))
            return g

    x = t.ones(2, requires_grad=True)
    F.apply(x)[0].sum().backward()
    return log


@table.gives((False, False, [7.0, 7.0]))
def fn_identity(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = t.ones(2, requires_grad=True)
    y = F.apply(x)
    y.sum().backward()
    return y is x, y.is_leaf, x.grad.tolist()


@table.gives([4.0, 4.0])
def fn_setup(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = t.ones(2, requires_grad=True)
    F.apply(x, 4.0).sum().backward()
    return x.grad.tolist()


@table.gives([(True, False, False), (True, False, False)])
def fn_needs(t):
    log = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            log.append(ctx.needs_input_grad)
            return x * y

        @staticmethod
        def backward(ctx, g):
            log.append(ctx.needs_input_grad)
            return g, None, None

    x = t.ones(1, requires_grad=True)
    F.apply(x, t.ones(1), 3).backward()
    return log


@table.refuses("one of the variables needed for gradient computation has been modified by an inp")
def fn_saved_changed(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 * len(ctx.saved_tensors)

    x = t.ones(1, requires_grad=True)
    h = x * 1
    y = F.apply(h)
    h.add_(1)
    y.backward()


@table.gives((False, False))
def fn_no_grad(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = t.ones(1, requires_grad=True)
    with t.no_grad():
        y = F.apply(x)
    return y.requires_grad, F.apply(t.ones(1)).requires_grad


@table.gives([False, False, False, True])
def fn_mode(t):
    log = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            log.append(t.is_grad_enabled())
            return x * 2

        @staticmethod
        def backward(ctx, g):
            log.append(t.is_grad_enabled())
            return g * 2

    x = t.ones(1, requires_grad=True)
    F.apply(x).backward()
    t.autograd.grad(F.apply(x), x, create_graph=True)
    return log


@table.refuses("save_for_backward")
def fn_save_float(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3.0)
            return x * 2

    F.apply(t.ones(1, requires_grad=True))


@table.refuses("ome elements marked as dirty during the forward method were not returned as outp")
def fn_dirty_not_returned(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 2

    F.apply(t.ones(1, requires_grad=True) * 1)


@table.gives([[4.0, 6.0], [16.0, 24.0]])
def fn_jvp(t):
    class Square(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(inputs[0])

        @staticmethod
        def jvp(ctx, tangent):
            (x,) = ctx.saved_tensors
            return 8 * x * tangent  # four times too much, to be told from what forward would give

    x = t.tensor([2.0, 3.0])
    y, tangent = t.func.jvp(lambda x: Square.apply(x), (x,), (t.ones(2),))
    return [[4.0, 6.0] if y.tolist() == [4.0, 9.0] else y.tolist(), tangent.tolist()]


@table.gives([[[2.0, 4.0], [6.0, 8.0]], [[0, None]]])
def fn_vmap(t):
    seen = []

    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x, k):
            seen.append(list(in_dims))
            return x * k, 0

    x = t.tensor([[1.0, 2.0], [3.0, 4.0]])
    return [t.func.vmap(lambda row: Scaled.apply(row, 2.0))(x).tolist(), seen]


@table.gives(([6.0, 6.0], [3.0, 3.0], [2.0, 2.0], 3, (True, False)))
def fn_by_name(t):
    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, k=2):
            ctx.save_for_backward(x)
            ctx.k = k
            return x * k

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    x = t.tensor([2.0, 2.0], requires_grad=True)
    y = Scaled.apply(x, k=3)
    (g,) = t.autograd.grad(y.sum(), x, retain_graph=True)
    node = Scaled.apply(x, 3).grad_fn  # is the context of forward as well
    return y.tolist(), g.tolist(), node.saved_tensors[0].tolist(), node.k, node.needs_input_grad


@table.refuses("You must implement the jvp function")
def fn_without_jvp(t):
    class StraightThrough(t.autograd.Function):
        @staticmethod
        def forward(x):
            return x.round()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g

    t.func.jvp(lambda x: StraightThrough.apply(x), (t.ones(2),), (t.ones(2),))


def returning(t, f):
    """A custom function that returns what `f` makes of its input."""

    class Returns(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return f(x)

        @staticmethod
        def backward(ctx, g):
            return g.reshape(3)

    return Returns


def write_after(t, f, write):
    """Write to an input or to the output, and differentiate both; what that gives, or None."""
    x = t.ones(3, requires_grad=True)
    h = x * 1
    y = returning(t, f).apply(h)
    try:
        write(t, h, y)
        (h.sum() + y.sum()).backward()
    except RuntimeError as error:
        return str(error).split("is a view and")[1].split()[:3]
    return x.grad.tolist()


@table.gives([["is", "being", "modified"]] * 4 + [["its", "base", "or"]] * 2 + [[2.0] * 3])
def fn_views(t):
    same, seen = (lambda x: x), (lambda x: x.view(3, 1))
    return [
        write_after(t, same, lambda t, h, y: y.mul_(2)),
        write_after(t, seen, lambda t, h, y: y.mul_(2)),
        write_after(t, same, lambda t, h, y: y[:1].mul_(2)),
        write_after(t, seen, lambda t, h, y: y[0].mul_(2)),
        write_after(t, same, lambda t, h, y: h.mul_(2)),
        write_after(t, seen, lambda t, h, y: h.mul_(2)),
        write_after(t, lambda x: x.clone(), lambda t, h, y: None),
    ]


@table.gives(([3.0, 3.0], [0.0, 0.0], True, True))
def jvp_gets_zeros_for_what_has_no_tangent(t):
    seen = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, n, i):
            return a * 2 + b

        @staticmethod
        def jvp(ctx, ta, tb, tn, ti):
            seen.extend([ta, tb, tn, ti])
            return ta * 2 + tb

    with t.autograd.forward_ad.dual_level():
        a = t.autograd.forward_ad.make_dual(t.ones(2), t.ones(2) * 3)
        F.apply(a, t.ones(2), 5, t.tensor([1, 2]))
    return seen[0].tolist(), seen[1].tolist(), seen[2] is None, seen[3] is None


@table.gives([True])
def jvp_gets_none_if_it_says_so(t):
    seen = []

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.set_materialize_grads(False)
            return a * 2 + b

        @staticmethod
        def jvp(ctx, ta, tb):
            seen.append(tb is None)
            return ta * 2

    with t.autograd.forward_ad.dual_level():
        F.apply(t.autograd.forward_ad.make_dual(t.ones(2), t.ones(2)), t.ones(2))
    return seen


@table.gives([2.0, 2.0])
def vjp_is_another_name_for_backward(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x = t.ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    return x.grad.tolist()


@table.refuses("Implementing both 'backward' and 'vjp' for a custom Function is not allowed.")
def backward_and_vjp(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    F.apply(t.ones(2, requires_grad=True)).sum().backward()


@table.refuses("You must implement either the backward or vjp method for your custom autograd.Func")
def neither_backward_nor_vjp(t):
    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

    F.apply(t.ones(2, requires_grad=True)).sum().backward()


def scaled(t, log):
    """A function with a default, whose context is set up apart."""

    class Scaled(t.autograd.Function):
        @staticmethod
        def forward(a, factor=3):
            return a * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            log.append(len(inputs))
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx, g):
            log.append(ctx.needs_input_grad)
            return g * ctx.factor, None

    return Scaled


@table.gives(([3.0, 3.0], [2, (True, False)], [4.0, 4.0]))
def setup_context_gets_defaults(t):
    log = []
    x = t.ones(2, requires_grad=True)
    scaled(t, log).apply(x).sum().backward()
    first, x.grad = x.grad.tolist(), None
    scaled(t, []).apply(x, factor=4).sum().backward()
    return first, log, x.grad.tolist()


@table.gives(("ScaledBackward", "ScaledBackward", "ScaledBackward"))
def the_class_of_a_node_has_the_name_of_the_function(t):
    y = scaled(t, []).apply(t.ones(2, requires_grad=True))
    name = type(y.grad_fn).__name__
    y.grad_fn.register_hook(lambda gi, go: None)
    return name, y.grad_fn.name(), type(y.grad_fn).__name__


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()
