"""What computes an op in torch, where that is not a function of the same name and arguments."""

import math

import numpy as np

from .torch_linalg import LINALG


def over(name):
    """A reduction of torch that takes no `dim=None`."""

    def call(torch, x, axis=None, keepdims=False):
        f, dims = getattr(torch, name), dims_of(x, axis)
        return f(x, dim=dims, keepdim=keepdims) if dims or x.ndim else f(x, dim=())

    return call


def dims_of(x, axis):
    """The axes as torch's dimensions; () stands for none, which torch takes for all."""
    if axis is None:
        return tuple(range(x.ndim))
    return (axis,) if isinstance(axis, int) else axis


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


def nan_to_num(torch, x, **attrs):
    """Of complex numbers part by part: torch does not differentiate them whole."""
    if not x.is_complex():
        return torch.nan_to_num(x, **attrs)
    return torch.complex(torch.nan_to_num(x.real, **attrs), torch.nan_to_num(x.imag, **attrs))


def gelu(torch, x, approximate):
    return torch.nn.functional.gelu(x, approximate=approximate)


def key_of(index, arrays):
    """The key for subscripts that an encoded index of ours stands for."""
    arrays = iter(arrays)
    spelled = {"array": lambda: next(arrays), "...": lambda: ...}
    return tuple(
        slice(*e[1:]) if isinstance(e, tuple) else spelled[e]() if isinstance(e, str) else e
        for e in index
    )


def subscripted(torch, x, *arrays, index):
    """`x[key]`, by the places that NumPy finds: torch has no negative steps."""
    key = tuple(k.numpy() if hasattr(k, "numpy") else k for k in key_of(index, arrays))
    places = np.arange(math.prod(x.shape)).reshape(tuple(x.shape))[key]
    return x.reshape(-1)[torch.as_tensor(np.array(places))]


def scattered(torch, x, *arrays, index, shape):
    key = tuple(k.numpy() if hasattr(k, "numpy") else k for k in key_of(index, arrays))
    places = np.arange(math.prod(shape)).reshape(shape)[key]
    flat = torch.zeros(math.prod(shape), dtype=x.dtype)
    return flat.index_add(0, torch.as_tensor(places.ravel()), x.reshape(-1)).reshape(shape)


def rolled(torch, x, shift, axis):
    shifts = (shift,) * len(axis) if isinstance(axis, tuple) and isinstance(shift, int) else shift
    return torch.roll(x, shifts, axis)


def updated(how):
    """An update of some entries, by the places that NumPy finds."""

    def call(torch, x, v, *arrays, index):
        key = tuple(k.numpy() if hasattr(k, "numpy") else k for k in key_of(index, arrays))
        places = np.array(np.arange(math.prod(x.shape)).reshape(tuple(x.shape))[key])
        flat, values = x.reshape(-1), v.expand(places.shape).reshape(-1)
        if how == "index_copy":  # torch writes in any order
            last = {p: i for i, p in enumerate(places.ravel().tolist())}
            values, places = values[list(last.values())], np.array(list(last), int)
        i = torch.as_tensor(places.ravel())
        if how.startswith("index"):
            return getattr(flat, how)(0, i, values).reshape(x.shape)
        return flat.scatter_reduce(0, i, values, how).reshape(x.shape)

    return call


def gathered(torch, x, indices, axis):
    return torch.take_along_dim(x, indices % x.shape[axis], axis)


def ordered(torch, x, axis, descending, stable):
    """The entries sorted, as NumPy orders them: torch does not sort complex numbers."""
    order = np.argsort(x.detach().numpy(), axis, stable=True)
    order = np.flip(order, axis) if descending else order
    return torch.gather(x, axis, torch.as_tensor(order.copy()))


def unfolded(torch, x, size, axis, step, dilation):
    """Windows of torch's, which have no dilation: every so many entries of larger ones."""
    for a, k, s, d in zip(axis, size, step, dilation, strict=True):
        x = x.unfold(a, d * (k - 1) + 1, s)[..., ::d]
    return x


def padded(torch, x, pad_width, value):
    flat = [n for pair in reversed(pad_width) for n in pair]
    return torch.nn.functional.pad(x, flat, value=value) if flat else x * 1


def classes_last(name):
    """A loss of torch's with the classes along the last axis."""

    def call(torch, x, labels, reduction):
        x = x.movedim(-1, 1) if x.ndim > 2 else x
        return getattr(torch.nn.functional, name)(x, labels, reduction=reduction)

    return call


def reshaped(torch, x, shape):
    return x.reshape(shape) * 1


def sum_to(torch, x, shape):
    return x.sum_to_size(shape)


def cast(torch, x, dtype):
    return x.to(getattr(torch, str(np.dtype(dtype))))


def transposed(torch, x, axes):
    return x.permute(axes if axes is not None else tuple(reversed(range(x.ndim))))


def squeezed(torch, x, axis):
    return x.squeeze() if axis is None else x.squeeze(axis)


def flip(torch, x, axis):
    return x.flip(dims_of(x, axis))


def expanded(torch, x, axis):
    axes = (axis,) if isinstance(axis, int) else axis
    rank = x.ndim + len(axes)
    for a in sorted(a % rank for a in axes):
        x = x.unsqueeze(a)
    return x


def arg(name):
    return lambda torch, x, axis, keepdims: getattr(torch, name)(x, dim=axis, keepdim=keepdims)


def convolved(torch, x, w, strides=None, pads=None, dilations=None, groups=1):
    n = x.ndim - 2
    conv = getattr(torch.nn.functional, f"conv{n}d")
    flat = [k for pair in reversed(pads or ((0, 0),) * n) for k in pair]
    x = torch.nn.functional.pad(x, flat)
    return conv(x, w, None, strides or 1, 0, dilations or 1, groups)


def transposed_in(which):
    """The gradient of the convolution in one of its operands, as torch differentiates it."""

    def call(torch, a, b, shape, **attrs):
        if which == 0:
            g, w, x = a, b.conj(), torch.zeros(a.shape[0], b.shape[1] * attrs["groups"], *shape)
        else:
            x, g, w = a.conj(), b, torch.zeros(b.shape[1], a.shape[1] // attrs["groups"], *shape)
        unknown = (x, w)[which]
        unknown = unknown.to(a.dtype).requires_grad_()
        y = convolved(torch, *((unknown, w), (x, unknown))[which], **attrs)
        return torch.autograd.grad(y, unknown, g, create_graph=True)[0]

    return call


def windowed(torch, x, window, strides, pads, dilations, fill=0.0):
    """The windows of an operand, by unfolding one axis after the other: their entries last."""
    n = len(window)
    flat = [k for pair in reversed(pads or ((0, 0),) * n) for k in pair]
    x = torch.nn.functional.pad(x, flat, value=fill) if flat else x
    for k, s, d in zip(window, strides or window, dilations or (1,) * n):
        x = x.unfold(x.ndim - n, d * (k - 1) + 1, s)[..., ::d]
    return x.flatten(x.ndim - n) if n else x[..., None]


def max_pooled(torch, x, **attrs):
    return windowed(torch, x, **attrs, fill=-float("inf")).max(-1).values


def picked(torch, x, chosen, **attrs):
    return windowed(torch, x, **attrs).gather(-1, chosen.long()[..., None])[..., 0]


def unpooled(pool):
    """The transpose of a pooling, as torch differentiates it."""

    def call(torch, g, *chosen, shape, **attrs):
        x = torch.zeros(*g.shape[: g.ndim - len(shape)], *shape, dtype=g.dtype, requires_grad=True)
        return torch.autograd.grad(pool(torch, x, *chosen, **attrs), x, g, create_graph=True)[0]

    return call


def sum_pooled(torch, x, **attrs):
    return windowed(torch, x, **attrs).sum(-1)


def standardize_slope(torch, v, x, axis, epsilon):
    r = inverse_spread(torch, x, axis, epsilon)
    y = (x - x.mean(axis, keepdim=True)) * r
    return r * (v - v.mean(axis, keepdim=True) - y * (v * y).mean(axis, keepdim=True))


def inverse_spread(torch, x, axis, epsilon):
    return (x.var(axis, correction=0, keepdim=True) + epsilon) ** -0.5


COUNTERPARTS = {
    "all": unless_no_axis(one_by_one("all")), "any": unless_no_axis(one_by_one("any")),
    "max": unless_no_axis(over("amax")),
    "min": unless_no_axis(over("amin")), "sum": unless_no_axis(over("sum")),
    "mean": unless_no_axis(over("mean")), "logsumexp": unless_no_axis(over("logsumexp")),
    "prod": unless_no_axis(one_by_one("prod")),
    "argmax": arg("argmax"), "argmin": arg("argmin"),
    "astype": cast, "copy": lambda torch, x: x.clone(), "reshape": reshaped,
    "transpose": transposed, "squeeze": squeezed, "flip": flip, "expand_dims": expanded,
    "broadcast_to": lambda torch, x, shape: torch.broadcast_to(x, shape),
    "expand_to": lambda torch, x, shape: torch.broadcast_to(x, shape), "sum_to": sum_to,
    "binary_cross_entropy": lambda torch, x, y: torch.nn.functional.binary_cross_entropy(
        x, y, reduction="none"
    ),
    "clamp": lambda torch, x, low, high: torch.clamp(x, low, high),
    "concatenate": lambda torch, *xs, axis: torch.cat(xs, axis),
    "stack": lambda torch, *xs, axis: torch.stack(xs, axis),
    "einsum": lambda torch, *xs, subscripts: torch.einsum(subscripts, *xs),
    "full_like": lambda torch, x, value, dtype: torch.full_like(
        x, value, dtype=getattr(torch, str(dtype)) if dtype else None
    ),
    "gelu": gelu, "getitem": subscripted, "slice": subscripted, "scatter": scattered,
    "imag": lambda torch, x: x.imag if x.is_complex() else torch.zeros_like(x),
    "masked": lambda torch, mask, x: torch.where(mask, x, 0),
    "binary_cross_entropy_with_logits": (
        lambda torch, x, y, **attrs: torch.nn.functional.binary_cross_entropy_with_logits(
            x, y, **attrs
        )
    ),
    "nll_loss": classes_last("nll_loss"), "sparse_cross_entropy": classes_last("cross_entropy"),
    "pad": padded, "floor_divide": lambda torch, a, b: torch.floor(a / b),
    "conv": convolved, "conv_operand": transposed_in(0), "conv_filters": transposed_in(1),
    "max_pool": max_pooled, "sum_pool": sum_pooled, "pick_from_windows": picked,
    "put_into_windows": unpooled(picked), "sum_unpool": unpooled(sum_pooled),
    "places_of_max": lambda torch, x, **attrs: (
        windowed(torch, x, **attrs, fill=-float("inf")).max(-1).indices
    ),
    "standardize": lambda torch, x, axis, epsilon: (
        (x - x.mean(axis, keepdim=True)) * inverse_spread(torch, x, axis, epsilon)
    ),
    "inverse_spread": inverse_spread, "standardize_slope": standardize_slope,
    **{
        name: lambda torch, x, axis, name=name: getattr(torch, name)(x, axis)
        for name in ("cumsum", "cumprod")
    },
    "logcumsumexp": lambda torch, x, axis: torch.logcumsumexp(x.double(), axis),
    "order_statistics": lambda torch, x, ranks, axis: (
        x.sort(axis).values.index_select(axis, torch.tensor(ranks))
    ),
    "cummax": lambda torch, x, axis: torch.cummax(x, axis).values,
    "cummin": lambda torch, x, axis: torch.cummin(x, axis).values,
    "var": spread("var"), "std": spread("std"), "vector_norm": vector_norm,
    "count_nonzero": count_nonzero,
    "softmax": lambda torch, x, axis: torch.softmax(x, axis),
    "log_softmax": lambda torch, x, axis: torch.log_softmax(x, axis),
    "strong_product": lambda torch, v, p: v * p,
    "nan_to_num": nan_to_num,
    "cbrt": lambda torch, x: x.sign() * x.abs() ** (1 / 3),
    "stop_gradient": lambda torch, x: x.detach() * 1,
}  # fmt: skip
COUNTERPARTS |= {
    "roll": rolled, "tile": lambda torch, x, reps: torch.tile(x, reps),
    "repeat": lambda torch, x, repeats, axis: torch.repeat_interleave(x, repeats, axis),
    "diagonal": lambda torch, x, offset, axis1, axis2: torch.diagonal(x, offset, axis1, axis2),
    "tril": lambda torch, x, k: torch.tril(x, k), "triu": lambda torch, x, k: torch.triu(x, k),
    "set_at": updated("index_copy"), "add_at": updated("index_add"), "maximum_at": updated("amax"),
    "minimum_at": updated("amin"),
    "take_along_axis": gathered, "windows": unfolded, "sort": ordered,
    "argkth": lambda torch, x, k, axis: torch.kthvalue(x, k, axis, True).indices,
    "argtopk": lambda torch, x, k, axis, largest: (
        torch.argsort(x, dim=axis, descending=largest, stable=True).narrow(axis, 0, k)
    ),
}  # fmt: skip
COUNTERPARTS |= LINALG
OTHER_NUMBERS = "torch draws other numbers"
OURS = "an op of ours that has no name in torch"
WITHOUT = {
    **dict.fromkeys(
        ["eig", "eigh", "svd"],
        "signs and phases of its vectors are free: see tests/dynamicgrad/test_linalg.py",
    ),
    **dict.fromkeys(
        ["random_uniform", "random_normal", "truncated_normal", "random_gumbel", "random_bernoulli",
         "random_integers", "random_permutation", "fold_in", "random_exponential", "random_laplace",
         "random_logistic", "random_cauchy", "random_gamma", "random_loggamma", "random_poisson"],
        OTHER_NUMBERS,
    ),
    **dict.fromkeys(
        ["at_labels", "class_error", "copy_slices", "positions", "prod_others", "linear_recurrence",
         "forget_sizes",
         "ensure_shape", "gelu_slope", "gru_gates", "gru_state", "lstm_gates", "lstm_hidden",
         "lstm_memory"],
        OURS,
    ),
    **dict.fromkeys(["gamma_tail", "gamma_slope"], OURS),
    **dict.fromkeys(
        ["gamma", "betainc", "gammainc", "gammaincc"], "torch has no function, or no derivative"
    ),
    **dict.fromkeys(["extend", "fold_back", "place_diagonal", "sum_windows"], OURS),
    **dict.fromkeys(["add_along_axis", "counted", "inverse_permutation", "run_lengths", "run_starts"], OURS),
    "survivors": OURS, "product_at": "torch has no second derivative of it where factors are zero",
    "argmode": "torch chooses any of equal entries",
    "heaviside": "torch does not differentiate it",
}  # fmt: skip
