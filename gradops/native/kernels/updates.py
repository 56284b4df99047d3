"""Updates of optimizers in one pass over flat arrays, with the bits of the formulas.

They round where `gradops.nn.optimizer_updates` does. Results may be written over the operands.
"""

from collections.abc import Callable

from ..ir.scalars import Scalar, call_math
from ..ir.text import Index
from .kernel import Kernel, KernelText

BLOCK = 4096  # entries of a pass


class Entry:
    """The operands of an update at an entry, and its numbers, by name."""

    def __init__(self, k: KernelText, decays: bool) -> None:
        self.k, self.decays = k, decays
        self.numbers = {name: k.number(name) for name in k.kernel.numbers}

    def __getitem__(self, name: str) -> Scalar:
        return self.numbers[name]

    def gradient(self, j: Index, p: Scalar) -> Scalar:
        """The gradient, with the sign of the direction and, if it decays, a share of the weight."""
        g = self.k.arrays["g"][j] * self["sign"]
        return g + self["decay"] * p if self.decays else g


Rule = Callable[[Entry, Index, Scalar], dict[str, Scalar]]


def writer(rule: Rule, decays: bool) -> Callable[[KernelText], None]:
    """A writer of the kernel of a rule, which gives the results of an entry by name."""

    def write(k: KernelText) -> None:
        entry = Entry(k, decays)
        for j in k.entries():
            for name, x in rule(entry, j, k.arrays["p"][j]).items():
                k.arrays[name][j] = x

    return write


def sgd(e: Entry, j: Index, p: Scalar) -> dict[str, Scalar]:
    """p - rate g."""
    return {"p_": p - e["rate"] * e.gradient(j, p)}


def momentum(e: Entry, j: Index, p: Scalar) -> dict[str, Scalar]:
    """p - rate v, with v = momentum v + share g."""
    v = e["momentum"] * e.k.arrays["v"][j] + e.gradient(j, p) * e["share"]
    return {"p_": p - e["rate"] * v, "v_": v}


def nesterov(e: Entry, j: Index, p: Scalar) -> dict[str, Scalar]:
    """p - rate (g + momentum v)."""
    g = e.gradient(j, p)
    v = e["momentum"] * e.k.arrays["v"][j] + g * e["share"]
    return {"p_": p - e["rate"] * (g + e["momentum"] * v), "v_": v}


def average(e: Entry, before: Scalar, value: Scalar, of: str) -> Scalar:
    """A moving average."""
    return e[f"beta{of}"] * before + e[f"rest{of}"] * value


def adam(e: Entry, j: Index, p: Scalar) -> dict[str, Scalar]:
    """p - rate m / (sqrt(v) / seen + eps), of a p that is multiplied by `shrink` before."""
    g = e.gradient(j, p)
    m = average(e, e.k.arrays["m"][j], g, "1")
    v = average(e, e.k.arrays["v"][j], g * g, "2")
    scale = call_math("sqrt", [v]) / e["seen"] + e["eps"]
    return {"p_": p * e["shrink"] - e["rate"] * (m / scale), "m_": m, "v_": v}


def rmsprop(e: Entry, j: Index, p: Scalar) -> dict[str, Scalar]:
    """p - rate g / (sqrt(v) + eps), with v a moving average of g g."""
    g = e.gradient(j, p)
    v = average(e, e.k.arrays["v"][j], g * g, "")
    return {"p_": p - e["rate"] * (g / (call_math("sqrt", [v]) + e["eps"])), "v_": v}


def adagrad(e: Entry, j: Index, p: Scalar) -> dict[str, Scalar]:
    """p - rate g / (sqrt(v) + eps), with v the sum of g g."""
    g = e.gradient(j, p)
    v = e.k.arrays["v"][j] + g * g
    return {"p_": p - e["rate"] * (g / (call_math("sqrt", [v]) + e["eps"])), "v_": v}


RULES: dict[str, tuple[Rule, str, tuple[str, ...]]] = {
    "sgd": (sgd, "", ("rate",)),
    "momentum": (momentum, "v", ("rate", "momentum", "share")),
    "nesterov": (nesterov, "v", ("rate", "momentum", "share")),
    "adam": (adam, "mv", ("rate", "seen", "eps", "shrink", "beta1", "rest1", "beta2", "rest2")),
    "rmsprop": (rmsprop, "v", ("rate", "eps", "beta", "rest")),
    "adagrad": (adagrad, "v", ("rate", "eps")),
}
"""For each kernel its rule, the arrays of its state, and its numbers after those of all."""
KERNELS = [
    Kernel(
        name + "_decayed" * decays, " ".join(f"{a}[...]" for a in f"pg{state}"),
        " ".join(f"{a}_[...]" for a in f"p{state}"), writer(rule, decays),
        numbers=("sign", *(["decay"] * decays), *numbers), block=BLOCK, cost=4,
    )
    for name, (rule, state, numbers) in RULES.items() for decays in (False, True)
]  # fmt: skip
NUMBERS = {k.name: k.numbers for k in KERNELS}
