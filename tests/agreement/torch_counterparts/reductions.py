"""Sums, extremes, norms and running results."""


def dims_of(x, axis):
    """The axes as torch's dimensions; () stands for none, which torch takes for all."""
    if axis is None:
        return tuple(range(x.ndim))
    return (axis,) if isinstance(axis, int) else axis


def over(name):
    """A reduction of torch that takes no `dim=None`."""

    def call(torch, x, axis=None, keepdims=False):
        f, dims = getattr(torch, name), dims_of(x, axis)
        return f(x, dim=dims, keepdim=keepdims) if dims or x.ndim else f(x, dim=())

    return call


def one_by_one(name):
    """A reduction of torch that takes one dimension at a time."""

    def call(torch, x, axis=None, keepdims=False):
        for d in sorted((d % max(x.ndim, 1) for d in dims_of(x, axis)), reverse=True):
            x = getattr(torch, name)(x, dim=d, keepdim=keepdims)
        return x if x.ndim or axis is not None else getattr(torch, name)(x)

    return call


def unless_no_axis(call):
    """`call`, or the operand itself where no axis is named: torch takes that for all of them."""
    return lambda torch, x, axis=None, keepdims=False: (
        x * 1 if axis == () else call(torch, x, axis, keepdims)
    )


def spread(name):
    """A variance or a standard deviation; where no axis is named, torch takes all of them."""

    def call(torch, x, axis, correction, keepdims):
        dims = dims_of(x, axis)
        if not dims:
            return (x * 0).real
        x = x if x.is_floating_point() or x.is_complex() else x.double()
        return getattr(torch, name)(x, dim=dims, correction=correction, keepdim=keepdims)

    return call


def vector_norm(torch, x, axis, keepdims, ord):
    if axis == ():
        return x.abs()
    return torch.linalg.vector_norm(x, ord, dims_of(x, axis) or None, keepdims) * 1


def count_nonzero(torch, x, axis, keepdims):
    return one_by_one("sum")(torch, x != 0, axis, keepdims) * 1


def arg(name):
    return lambda torch, x, axis, keepdims: getattr(torch, name)(x, dim=axis, keepdim=keepdims)


COUNTERPARTS = {
    **{name: unless_no_axis(one_by_one(name)) for name in ("all", "any", "prod")},
    **{name: unless_no_axis(over(name)) for name in ("sum", "mean", "logsumexp")},
    "max": unless_no_axis(over("amax")), "min": unless_no_axis(over("amin")),
    "argmax": arg("argmax"), "argmin": arg("argmin"),
    "var": spread("var"), "std": spread("std"),
    "vector_norm": vector_norm, "count_nonzero": count_nonzero,
    "cumsum": lambda torch, x, axis: torch.cumsum(x, axis),
    "cumprod": lambda torch, x, axis: torch.cumprod(x, axis),
    "cummax": lambda torch, x, axis: torch.cummax(x, axis).values,
    "cummin": lambda torch, x, axis: torch.cummin(x, axis).values,
    "logcumsumexp": lambda torch, x, axis: torch.logcumsumexp(x.double(), axis),
}  # fmt: skip
