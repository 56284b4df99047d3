"""Updates of flat arrays in place, by kernels in machine code with the bits of the update rules.

A rule of `optimizer_updates` is a dozen passes of NumPy's; a kernel is one. It is called where the
extra is installed, for arrays of one dtype of floats, once the state has been begun.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any

from ..kernels.native_kernels import USED, LibraryCall
from .optimizer_updates import adagrad, adam, bias_correction, rmsprop, root, sgd, step_count

Form = tuple[str, Sequence[str], Mapping[str, float]]
"""The name of a kernel, the names of the arrays of the state, and numbers."""


def sgd_form(
    state: Mapping[str, Any], *, lr: float, momentum: float, dampening: float, nesterov: bool,
    **rest: Any,
) -> Form | None:  # fmt: skip
    """The kernel of `sgd`."""
    if not momentum:
        return "sgd", (), {"rate": lr}
    numbers = {"rate": lr, "momentum": momentum, "share": 1 - dampening}
    return "nesterov" if nesterov else "momentum", ("momentum_buffer",), numbers


def adam_form(
    state: Mapping[str, Any], *, lr: float, betas: tuple[float, float], eps: float,
    weight_decay: float, amsgrad: bool, decoupled_weight_decay: bool, **rest: Any,
) -> Form | None:  # fmt: skip
    """The kernel of `adam`, unless it keeps largest averages."""
    if amsgrad:
        return None
    step = state.get("step", 0) + 1
    numbers: dict[str, Any] = {"eps": eps}
    for i, beta in enumerate(betas, 1):
        numbers |= {f"beta{i}": beta, f"rest{i}": 1 - beta}
    numbers["rate"] = lr / bias_correction(betas[0], step)
    numbers["seen"] = root(bias_correction(betas[1], step))
    numbers["shrink"] = 1 - lr * weight_decay if decoupled_weight_decay and weight_decay else 1.0
    return "adam", ("exp_avg", "exp_avg_sq"), numbers


def rmsprop_form(
    state: Mapping[str, Any], *, lr: float, alpha: float, eps: float, momentum: float,
    centered: bool, **rest: Any,
) -> Form | None:  # fmt: skip
    """The kernel of `rmsprop` in its simple form."""
    if momentum or centered:
        return None
    return "rmsprop", ("square_avg",), {"rate": lr, "eps": eps, "beta": alpha, "rest": 1 - alpha}


def adagrad_form(
    state: Mapping[str, Any], *, lr: float, lr_decay: float, eps: float, **rest: Any
) -> Form | None:
    """The kernel of `adagrad`."""
    count = step_count(state.get("step", 0) + 1)
    return "adagrad", ("sum",), {"rate": lr / (1 + (count - 1) * lr_decay), "eps": eps}


FORMS: dict[Callable[..., Any], Callable[..., Form | None]] = {
    sgd: sgd_form, adam: adam_form, rmsprop: rmsprop_form, adagrad: adagrad_form,
}  # fmt: skip


@cache
def kernel(name: str) -> tuple[LibraryCall, tuple[str, ...]]:
    """The call of a kernel, and the names of its numbers."""
    from ..native.kernels.updates import NUMBERS

    return LibraryCall("updates", name), NUMBERS[name]


def call_in_place(
    rule: Callable[..., Any], param: Any, grad: Any, state: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Callable[[], Any] | None:  # fmt: skip
    """A function that updates a parameter and its state in place, or gives NotImplemented.

    None if there is no kernel for this rule with these options, or the state is not begun.
    """
    if rule not in FORMS or not USED.get():
        return None
    try:
        found = chosen(rule, state.get("step", 0), tuple(options.items()))
    except TypeError:  # an option that is no number
        return None
    if found is None or not all(name in state for name in found[1]):
        return None
    library, names, numbers = found
    arrays = [state[name] for name in names]
    return partial(library.call, param, grad, *arrays, *numbers, param, *arrays)


@lru_cache(maxsize=64)
def chosen(
    rule: Callable[..., Any], step: int, items: tuple[tuple[str, Any], ...]
) -> tuple[LibraryCall, Sequence[str], Sequence[float]] | None:
    """The kernel of a rule, the names of its state and its numbers, once for all blocks."""
    options = dict(items)
    form = FORMS[rule]({"step": step}, **options)
    if form is None:
        return None
    name, names, numbers = form
    decay = options["weight_decay"]
    decays = bool(decay) and not options.get("decoupled_weight_decay")
    library, order = kernel(name + "_decayed" * decays)
    given = {"sign": -1.0 if options["maximize"] else 1.0, "decay": decay, **numbers}
    found = [given[n] for n in order]
    return (library, names, found) if all(isinstance(n, float | int) for n in found) else None
