"""What moves, repeats and joins entries."""

from .reductions import dims_of


def rolled(torch, x, shift, axis):
    shifts = (shift,) * len(axis) if isinstance(axis, tuple) and isinstance(shift, int) else shift
    return torch.roll(x, shifts, axis)


def padded(torch, x, pad_width, value):
    flat = [n for pair in reversed(pad_width) for n in pair]
    return torch.nn.functional.pad(x, flat, value=value) if flat else x * 1


def reshaped(torch, x, shape):
    return x.reshape(shape) * 1


def sum_to(torch, x, shape):
    return x.sum_to_size(shape)


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


def unfolded(torch, x, size, axis, step, dilation):
    """Windows of torch's, which have no dilation: every so many entries of larger ones."""
    for a, k, s, d in zip(axis, size, step, dilation, strict=True):
        x = x.unfold(a, d * (k - 1) + 1, s)[..., ::d]
    return x


COUNTERPARTS = {
    "broadcast_to": lambda torch, x, shape: torch.broadcast_to(x, shape),
    "concatenate": lambda torch, *xs, axis: torch.cat(xs, axis),
    "diagonal": lambda torch, x, offset, axis1, axis2: torch.diagonal(x, offset, axis1, axis2),
    "einsum": lambda torch, *xs, subscripts: torch.einsum(subscripts, *xs),
    "expand_dims": expanded, "flip": flip,
    "expand_to": lambda torch, x, shape: torch.broadcast_to(x, shape),
    "pad": padded,
    "repeat": lambda torch, x, repeats, axis: torch.repeat_interleave(x, repeats, axis),
    "reshape": reshaped, "roll": rolled, "squeeze": squeezed,
    "stack": lambda torch, *xs, axis: torch.stack(xs, axis),
    "sum_to": sum_to,
    "tile": lambda torch, x, reps: torch.tile(x, reps),
    "transpose": transposed,
    "tril": lambda torch, x, k: torch.tril(x, k), "triu": lambda torch, x, k: torch.triu(x, k),
    "windows": unfolded,
}  # fmt: skip
