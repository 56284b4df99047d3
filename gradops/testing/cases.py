"""An op with operands, for the properties that are checked on them, and how values are compared.

Tolerances are relative to the sum of the magnitudes of what was added up, so cancellation does not
count as an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.op import OPS, Op, Samples
from ..core.traits import Trait
from ..core.types import is_complex, is_inexact, type_of
from ..library.shape.movement import cast
from ..transforms.reverse import conjugated
from .op_errors import demand

SAME_SUM = 1e-12  # the same products, added in another order


@dataclass(frozen=True)
class Case:
    """An op and one of its samples, drawn several times."""

    op: Op
    number: int
    examples: Sequence[Sequence[Any]]
    attrs: dict[str, Any]

    @property
    def operands(self) -> Sequence[Any]:
        """The operands of the first draw."""
        return self.examples[0]

    def __call__(self, *operands: Any) -> Any:
        """The op, with the attributes of the sample."""
        return self.op(*operands, **self.attrs)

    def __str__(self) -> str:
        return f"{self.op.name}-{self.number}"

    @property
    def shown(self) -> str:
        """The call, with values."""
        operands = [
            f"{type_of(x)} {np.array2string(x, threshold=20, edgeitems=2)}" for x in self.operands
        ]
        attrs = [f"{k}={v!r}" for k, v in self.attrs.items()]
        return f"{self.op.name}({', '.join([*operands, *attrs])})"


def cases(op: Op, samples: Samples | None = None, rng: Any = None) -> list[Case]:
    """The samples of an op, each drawn three times."""
    rng = np.random.default_rng(0) if rng is None else rng
    draws = [list((samples or op.samples)(rng)) for _ in range(3)]
    found = []
    for number, drawn in enumerate(zip(*draws, strict=True)):
        examples = [[np.asarray(x) for x in operands] for operands, _ in drawn]
        found.append(Case(op, number, examples, op.bind(examples[0], drawn[0][1])[1]))
    return found


def agree(what: str, got: Any, want: Any, tolerance: float, scale: Any = None) -> None:
    """Raise unless two arrays agree up to a part of `scale`, by default the larger magnitude."""
    got, want = np.asarray(got) * 1, np.asarray(want) * 1  # truth values as numbers
    demand(got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}")
    if scale is None:
        scale = np.maximum(np.abs(got), np.abs(want)).max(initial=0)
    near = np.abs(got - want) <= tolerance * scale
    demand(np.all(near | (got == want)), f"{what}: {got}, not {want} (tolerance {tolerance:g})")


def same_bits(a: Any, b: Any) -> bool:
    """True if two arrays are equal in type and in every bit."""
    return type_of(a) == type_of(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()


def noise(like: Any, seed: int = 0) -> Any:
    """Numbers from -1 to 1 in the type of an array; so are the parts of complex ones."""
    like, rng = np.asarray(like), np.random.default_rng(seed)
    found = rng.uniform(-1, 1, like.shape)
    if is_complex(like.dtype):
        found = found + 1j * rng.uniform(-1, 1, like.shape)
    return np.asarray(found, like.dtype)


def direction(case: Case, i: int, seed: int = 0) -> Any:
    """A direction in which to move operand i: of Hermitian matrices, a Hermitian one."""
    t = noise(case.operands[i], seed)
    return (t + t.conj().swapaxes(-1, -2)) / 2 if Trait.HERMITIAN in case.op.traits else t


def inner(a: Any, b: Any) -> tuple[Any, Any]:
    """The inner product of two arrays, and the sum of the magnitudes that went into it.

    Of complex numbers it is that of their real and imaginary parts.
    """
    products = np.real(np.conj(a) * np.asarray(b))
    return products.sum(), np.abs(products).sum()


def with_derivative(case: Case, kind: str = "vjp") -> list[int]:
    """The operands that have a rule, and a dtype to use it on."""
    rules: Sequence[Any] = getattr(case.op, kind)
    found = range(min(len(case.operands), len(rules)))
    return [i for i in found if is_inexact(case.operands[i].dtype) and rules[i] is not None]


def cotangent(case: Case, i: int, g: Any, y: Any, operands: Sequence[Any]) -> Any:
    """Operand i's cotangent by the op's rule, with broadcasting undone. See Note [Complex]."""
    op = conjugated(case.op) if is_complex(type_of(y).dtype) else case.op
    (ct,) = op.pull((i,), g, (y, *operands), case.attrs)
    shape = type_of(operands[i]).shape
    ct = ct if type_of(ct).shape == shape else OPS["sum_to"](ct, shape=shape)
    return cast(ct, type_of(operands[i]).dtype)
