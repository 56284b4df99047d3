"""What is computed entry by entry, or of each row."""

import numpy as np


def nan_to_num(torch, x, **attrs):
    """Of complex numbers part by part: torch does not differentiate them whole."""
    if not x.is_complex():
        return torch.nan_to_num(x, **attrs)
    return torch.complex(torch.nan_to_num(x.real, **attrs), torch.nan_to_num(x.imag, **attrs))


def gelu(torch, x, approximate):
    return torch.nn.functional.gelu(x, approximate=approximate)


def cast(torch, x, dtype):
    return x.to(getattr(torch, str(np.dtype(dtype))))


def reread(torch, x, dtype):
    """The same bits as another dtype of the same width."""
    return x.view(getattr(torch, str(np.dtype(dtype))))


COUNTERPARTS = {
    "astype": cast,
    "bitcast": reread,
    "cbrt": lambda torch, x: x.sign() * x.abs() ** (1 / 3),
    "clamp": lambda torch, x, low, high: torch.clamp(x, low, high),
    "copy": lambda torch, x: x.clone(),
    "floor_divide": lambda torch, a, b: torch.floor(a / b),
    "full_like": lambda torch, x, value, dtype: torch.full_like(
        x, value, dtype=getattr(torch, str(dtype)) if dtype else None
    ),
    "gelu": gelu,
    "i0_of_numpy": lambda torch, x: torch.special.i0(x),
    "imag": lambda torch, x: x.imag if x.is_complex() else torch.zeros_like(x),
    "log_softmax": lambda torch, x, axis: torch.log_softmax(x, axis),
    "masked": lambda torch, mask, x: torch.where(mask, x, 0),
    "nan_to_num": nan_to_num,
    "power_slope": lambda torch, a, b: b * a ** (b - 1),
    "sign": lambda torch, x: torch.sgn(x) if x.is_complex() else torch.sign(x),
    "softmax": lambda torch, x, axis: torch.softmax(x, axis),
    "recompute": lambda torch, x: x * 1,
    "stop_gradient": lambda torch, x: x.detach() * 1,
    "one_minus_square": lambda torch, x: 1 - x * x,
    "strong_product": lambda torch, v, p: v * p,
}
