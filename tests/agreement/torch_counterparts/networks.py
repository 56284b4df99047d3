"""Convolutions, pooling, normalization and losses."""


def convolved(torch, x, w, strides=None, pads=None, dilations=None, groups=1):
    n = x.ndim - 2
    conv = getattr(torch.nn.functional, f"conv{n}d")
    flat = [k for pair in reversed(pads or ((0, 0),) * n) for k in pair]
    x = torch.nn.functional.pad(x, flat)
    if not x.shape[1]:  # torch loses the filters of no channels, where a sum over nothing is zero
        x, w = (torch.nn.functional.pad(t, (0, 0) * n + (0, 1)) for t in (x, w))
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


def sum_pooled(torch, x, **attrs):
    return windowed(torch, x, **attrs).sum(-1)


def unpooled(pool):
    """The transpose of a pooling, as torch differentiates it."""

    def call(torch, g, *chosen, shape, **attrs):
        x = torch.zeros(*g.shape[: g.ndim - len(shape)], *shape, dtype=g.dtype, requires_grad=True)
        return torch.autograd.grad(pool(torch, x, *chosen, **attrs), x, g, create_graph=True)[0]

    return call


def standardized(torch, x, axis, epsilon):
    return (x - x.mean(axis, keepdim=True)) * inverse_spread(torch, x, axis, epsilon)


def standardize_slope(torch, v, x, axis, epsilon):
    y = standardized(torch, x, axis, epsilon)
    apart = v - v.mean(axis, keepdim=True) - y * (v * y).mean(axis, keepdim=True)
    return inverse_spread(torch, x, axis, epsilon) * apart


def inverse_spread(torch, x, axis, epsilon):
    return (x.var(axis, correction=0, keepdim=True) + epsilon) ** -0.5


def divide_by_rms(torch, x, axis, epsilon):
    return x / (x.square().mean(axis, keepdim=True) + epsilon).sqrt()


def divide_by_rms_slope(torch, v, x, axis, epsilon):
    y, root = divide_by_rms(torch, x, axis, epsilon), x.square().mean(axis, keepdim=True) + epsilon
    return (v - y * (v * y).mean(axis, keepdim=True)) / root.sqrt()


def classes_last(name):
    """A loss of torch's with the classes along the last axis."""

    def call(torch, x, labels, reduction):
        x = x.movedim(-1, 1) if x.ndim > 2 else x
        return getattr(torch.nn.functional, name)(x, labels, reduction=reduction)

    return call


COUNTERPARTS = {
    "linear": lambda torch, x, w, b: torch.nn.functional.linear(x, w, b),
    "binary_cross_entropy": lambda torch, x, y: (
        torch.nn.functional.binary_cross_entropy(x, y, reduction="none")
    ),
    "binary_cross_entropy_with_logits": lambda torch, x, y, **attrs: (
        torch.nn.functional.binary_cross_entropy_with_logits(x, y, **attrs)
    ),
    "nll_loss": classes_last("nll_loss"), "sparse_cross_entropy": classes_last("cross_entropy"),
    "conv_bias": lambda torch, x, w, b, **attrs: (
        convolved(torch, x, w, **attrs) + b.reshape(-1, *(1,) * (x.ndim - 2))
    ),
    "conv": convolved, "conv_operand": transposed_in(0), "conv_filters": transposed_in(1),
    "max_pool": max_pooled, "sum_pool": sum_pooled, "pick_from_windows": picked,
    "put_into_windows": unpooled(picked), "sum_unpool": unpooled(sum_pooled),
    "places_of_max": lambda torch, x, **attrs: (
        windowed(torch, x, **attrs, fill=-float("inf")).max(-1).indices
    ),
    "standardize": standardized, "standardize_slope": standardize_slope,
    "inverse_spread": inverse_spread,
    "divide_by_rms": divide_by_rms, "divide_by_rms_slope": divide_by_rms_slope,
    "softmax_slope": lambda torch, v, y, axis: y * (v - (v * y).sum(axis, keepdim=True)),
    "log_softmax_slope": lambda torch, v, y, axis: v - y.exp() * v.sum(axis, keepdim=True),
}  # fmt: skip
