"""Checks every property of an op on its samples.

Tolerances are relative to the sum of the magnitudes of what was added up, so cancellation does not
count as an error.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.dims import Dim
from ..core.errors import LinAlgError
from ..core.op import OPS, Op, Samples
from ..core.traits import Trait
from ..core.types import ArrayType, is_complex, is_float, is_inexact, type_of
from ..library.shape.movement import cast
from ..transforms.batching import vmap
from ..transforms.forward import jvp, tangent_like
from ..transforms.reverse import conjugated
from . import op_errors
from .finite_differences import along, derivative
from .op_errors import PropertyError, demand

__all__ = ["PropertyError", "check"]

NOT_OF_ARRAYS = {Trait.CONTROL, Trait.EFFECT, Trait.LOWERED}
"""Traits of ops of graphs, lists and tokens, and of those that passes of a compiler make."""
NEAR = 1e-15  # a few ULP of double precision
SPECIAL = np.array([0.0, -0.0, 1.0, -2.5, 800.0, -800.0, np.inf, -np.inf, np.nan])
SAME_SUM = 1e-12  # the same products, added in another order
SINGULAR = (0.0, 1.0, -1.0)  # where a logarithm, a root or a quotient of an op has its singularity


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


def check(op: Op, samples: Samples | None = None, rng: Any = None) -> None:
    """Check that an op's facts agree with each other: types, derivatives, batching, source.

    Operands are drawn by the op's own `samples`, or those given. Raises PropertyError, which says
    what disagrees and on which operands.

    >>> import gradops
    >>> check(gradops.tanh)
    """
    for fact in FACTS:
        verify(fact, op, f"{op.name}: {fact.__name__}")
    for case in cases(op, samples, rng):
        for prop in PROPERTIES:
            verify(prop, case, f"{case}: {prop.__name__}: {case.shown}")


def verify(prop: Callable[[Any], None], subject: Any, title: str) -> None:
    """Check one property; failures are reported under the title."""
    try:
        with np.errstate(all="ignore"):
            prop(subject)
    except Exception as error:
        raise PropertyError(f"{title}\n  {type(error).__name__}: {error}") from error


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


def inferred_type_is_the_computed_type(case: Case) -> None:
    """Type inference predicts what the kernel returns, in the dtypes of floats too."""
    for dtype in (np.float64, np.float32):
        operands = [x.astype(dtype) if is_float(x.dtype) else x for x in case.operands]
        inferred = case.op.infer(*map(type_of, operands), **case.attrs)
        computed = type_of(case(*operands))
        sizes = [n if isinstance(m, Dim) else m for m, n in zip(inferred.shape, computed.shape)]
        found = ArrayType((*sizes, *inferred.shape[computed.ndim :]), inferred.dtype)
        demand(found == computed, f"inferred {inferred}, computed {computed}")


LAYOUTS: Mapping[str, Callable[[Any], Any]] = {
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    "in Fortran's order": lambda x: x.copy(order="F"),
}
"""Ways for an array to lie in memory."""


def read_only(x: Any) -> Any:
    """`x` as a read-only array."""
    x = np.asarray(x)
    x.flags.writeable = False
    return x


def layout_in_memory_does_not_matter(case: Case) -> None:
    """Operands may be read-only, and have negative or large strides."""
    y = case(*case.operands)
    g = noise(y)
    for name, laid in LAYOUTS.items():
        xs = [read_only(laid(x.copy())) for x in case.operands]
        agree(name, case(*xs), y, SAME_SUM)
        for i in with_derivative(case):
            want = cotangent(case, i, g, y, case.operands)
            agree(f"{name}, operand {i}", cotangent(case, i, laid(g), y, xs), want, SAME_SUM)


def operands_are_left_alone(case: Case) -> None:
    """The kernel writes into none of its operands."""
    operands = [x.copy() for x in case.operands]
    case(*operands)
    demand(all(map(same_bits, operands, case.operands)), "an operand was written into")


def source_computes_the_same_bits(case: Case) -> None:
    """The op as written in generated code is the op, also where it writes into given memory."""
    y = case(*case.operands)
    template = case.op.template(list(map(type_of, case.operands)), case.attrs)
    demand(same_bits(evaluate(case, template), y), f"{template} computes something else")
    if "{out}" in template:
        buffer = np.ones_like(y)  # not empty: freed memory may hold the right entries
        evaluate(case, template, buffer)
        demand(same_bits(buffer, y), f"{template} writes something else into out")
    if case.op.infix and not any(type_of(x).ndim for x in [y, *case.operands]):
        demand(same_bits(evaluate(case, case.op.infix), y), f"{case.op.infix} is something else")


def scalar_source_computes_the_op(case: Case) -> None:
    """The op on Python's floats gives the kernel's values, or raises where these are not finite."""
    if not case.op.scalar or any(is_complex(type_of(x).dtype) for x in case.operands):
        return
    floats = [x if x.dtype == bool else x.astype(float) for x in map(np.asarray, case.operands)]
    columns = [a.ravel() for a in np.broadcast_arrays(*floats)]
    for entries in [*zip(*columns, strict=True), *special_entries(floats)]:
        numbers = {f"x{i}": x.item() for i, x in enumerate(entries)}
        want = case.op.kernel(*entries)
        try:
            got = eval(case.op.scalar.format(*numbers), {"math": math, **numbers})
        except (ArithmeticError, ValueError):
            demand(not np.isfinite(want), f"{case.op.scalar} of {entries} raises")
            continue
        demand(isinstance(got, bool) == (want.dtype == bool), f"{case.op.scalar} gives {got!r}")
        same = got == want or (got != got and want != want)
        near = same or abs(got - want) <= NEAR * abs(want)
        demand(near, f"{case.op.scalar} of {entries}: {got}, not {want}")


def formula_computes_the_op(case: Case) -> None:
    """The formula of an op gives the kernel's values, but for rounding."""
    if case.op.formula is None or not case.operands or any(map(is_strange, case.operands)):
        return
    want = np.asarray(case(*case.operands))
    got = np.asarray(case.op.formula(*case.operands, **case.attrs))
    agree("the formula", got, want, SAME_SUM)


def is_strange(x: Any) -> bool:
    """True for operands to which formulas are not applied: complex ones and empty ones."""
    return is_complex(type_of(x).dtype) or not np.size(x)


def pairs_compute_both_ops(case: Case) -> None:
    """A kernel for two ops gives what each gives, to the bit, in other dtypes too."""
    for name, kernel in case.op.pairs.items():
        other = OPS[name]
        attrs = {k: v for k, v in case.attrs.items() if k in other.params}
        for dtype in (np.float64, np.float32):
            operands = [x.astype(dtype) if is_float(x.dtype) else x for x in case.operands]
            want = case(*operands), other(*operands, **attrs)
            got = kernel(*operands, **case.attrs)
            demand(all(map(same_bits, got, want)), f"together with {name} it is something else")


def special_entries(floats: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Zeros, infinities and NaN in place of the operands that are floats."""
    choices = [SPECIAL if x.dtype != bool else np.array([False, True]) for x in floats]
    return itertools.product(*choices)


def evaluate(case: Case, template: str, out: Any = None) -> Any:
    """The value of a source template, with operands without axes as NumPy's numbers."""
    names = {f"x{i}": x[()] for i, x in enumerate(case.operands)}
    attrs = {k: repr(v) for k, v in case.attrs.items()}
    given = "" if out is None else ", out=out"
    source = template.format(*names, operands=", ".join(names), out=given, fresh="fresh", **attrs)
    kernels = {op.name: op.kernel for op in OPS.values()}
    scope = {**kernels, "np": np, "dtype": np.dtype, "inf": np.inf, "nan": np.nan, "out": out}
    return eval(source, scope | names)  # of an op's own declaration, not of data


def vjp_is_the_derivative(case: Case) -> None:
    """Each VJP rule agrees with a derivative found by arithmetic."""
    y = case(*case.operands)
    for i in with_derivative(case):
        got, want, scale, tolerance = compare_slopes(case, i, direction(case, i, 1), y)
        agree(f"along a direction of operand {i}", got, want, tolerance, scale)


def compare_slopes(
    case: Case, i: int, t: np.ndarray, y: np.ndarray, tangent: np.ndarray | None = None
) -> tuple[np.floating, np.floating, np.floating, float]:
    """A cotangent times the derivative of `y` along `t` in operand i, by rule and by differences.

    The rule's result is `tangent`, or by default that of the VJP. Then the magnitude of what was
    added up, and the relative accuracy of the differences.
    """
    g = noise(y)
    slope, tolerance = derivative(along(case, case.operands, {i: t}))
    want, scale = inner(g, slope)
    if tangent is None:
        got, other = inner(cotangent(case, i, g, y, case.operands), t)
    else:
        got, other = inner(g, tangent)
    return got, want, scale + other, tolerance


def jvp_is_the_transpose_of_vjp(case: Case) -> None:
    """Forward and reverse mode are the same linear map."""
    y = case(*case.operands)
    g = noise(y)
    demand(with_derivative(case) == with_derivative(case, "jvp"), "one has a rule the other lacks")
    for i in with_derivative(case):
        t = noise(case.operands[i], 1)
        tangent = case.op.jvp[i](t, y, *case.operands, **case.attrs)  # type: ignore[misc]
        want, scale = inner(cotangent(case, i, g, y, case.operands), t)
        got, other = inner(g, tangent_like(tangent, y))
        agree(f"operand {i}", got, want, SAME_SUM, scale + other)


def second_derivative_is_the_derivative_of_the_vjp(case: Case) -> None:
    """The derivative of each VJP rule is correct."""
    floats = [i for i, x in enumerate(case.operands) if is_inexact(x.dtype)]
    directions = {i: direction(case, i, i) for i in floats}
    for i in with_derivative(case):
        gradient = gradient_in(case, i)
        line = along(gradient, case.operands, directions)
        got = jvp(line, [np.zeros(())], [np.ones(())])[1]
        want, tolerance = derivative(line)
        agree(f"the gradient in operand {i}", got, want, tolerance)


def gradient_in(case: Case, i: int) -> Callable[..., Any]:
    """The gradient in operand i, as a function of the operands."""
    g = noise(case(*case.operands))
    return lambda *operands: cotangent(case, i, g, case(*operands), operands)


def float32_stays_float32(case: Case) -> None:
    """Gradients and tangents have the dtype and shape of what they belong to, with no cast."""
    operands = [x.astype(np.float32) if is_float(x.dtype) else x for x in case.operands]
    y = case(*operands)
    for i in with_derivative(case):
        got = type_of(cotangent(case, i, noise(y), y, operands))
        demand(got == type_of(operands[i]), f"the gradient in operand {i} is {got}")
        rule: Any = case.op.jvp[i]
        tangent = tangent_like(rule(noise(operands[i]), y, *operands, **case.attrs), y)
        dtype = type_of(rule(noise(operands[i]), y, *operands, **case.attrs)).dtype
        demand(type_of(tangent) == type_of(y) and dtype == y.dtype, f"the tangent is {dtype}")


def a_zero_cotangent_stays_zero(case: Case) -> None:
    """A zero cotangent gives zeros, not NaN, even where the derivative is infinite."""
    for point in SINGULAR:
        xs = [np.full_like(x, point) if is_float(x.dtype) else x for x in case.operands]
        try:
            y = case(*xs)
        except LinAlgError:
            continue  # there is no result to mask out
        for i in with_derivative(case):
            ct = cotangent(case, i, np.zeros_like(y), y, xs)
            demand(np.all(np.asarray(ct) == 0), f"at {point}, operand {i} receives {ct}")


def vmap_is_a_loop(case: Case) -> None:
    """Batched, the op does to each example what it does to one, whichever operands are batched."""
    if case.op.batch is None:
        return
    for axes in itertools.product([0, None], repeat=min(len(case.operands), 3)):
        axes = (*axes, *(0 for _ in case.operands[3:]))
        if axes != (None,) * len(axes):
            looped = [case(*one) for one in each_example(case, axes)]
            stacks = map(stack_draws, zip(*case.examples, strict=True), axes)
            got = vmap(case, in_axes=axes)(*stacks)
            agree(f"with in_axes={axes}", got, np.stack(looped), SAME_SUM)
            demand(got.dtype == looped[0].dtype, f"dtype {got.dtype}, not {looped[0].dtype}")


def each_example(case: Case, axes: Sequence[int | None]) -> Iterator[Sequence[Any]]:
    """The operands of each draw; unbatched ones are always those of the first."""
    for drawn in case.examples:
        yield [x if a == 0 else first for x, first, a in zip(drawn, case.operands, axes)]


def stack_draws(draws: Sequence[Any], axis: int | None) -> Any:
    """All draws of an operand along a new axis, or the first if it is not batched."""
    return draws[0] if axis is None else np.stack(draws)


def operations_are_counted(case: Case) -> None:
    """The number of floating-point operations is a number, and never negative."""
    op, operands, attrs = case.op, case.operands, case.attrs
    types = [type_of(x) for x in operands]
    count = op.flops(op.type_for(types, attrs), *types, **attrs)
    demand(isinstance(count, int) and count >= 0, f"the number of operations is {count!r}")


def doc_is_a_sentence(op: Op) -> None:
    """The documentation of an op is a sentence."""
    demand(op.doc.endswith("."), f"the doc is {op.doc!r}")


def there_are_samples(op: Op) -> None:
    """The op has samples, unless it takes or gives more than arrays, or passes alone make it."""
    samples = list(op.samples(np.random.default_rng(0)))
    demand(samples or op.traits & NOT_OF_ARRAYS, "there are no samples")


PROPERTIES: Sequence[Callable[[Case], None]] = [
    inferred_type_is_the_computed_type,
    operands_are_left_alone,
    layout_in_memory_does_not_matter,
    source_computes_the_same_bits,
    scalar_source_computes_the_op,
    formula_computes_the_op,
    pairs_compute_both_ops,
    vjp_is_the_derivative,
    jvp_is_the_transpose_of_vjp,
    second_derivative_is_the_derivative_of_the_vjp,
    float32_stays_float32,
    a_zero_cotangent_stays_zero,
    vmap_is_a_loop,
    operations_are_counted,
]
"""The properties that are checked on each sample of an op."""

FACTS: Sequence[Callable[[Op], None]] = [
    doc_is_a_sentence,
    there_are_samples,
    op_errors.bad_operands_are_refused,
    op_errors.what_an_op_refuses_it_refuses_in_words,
    op_errors.wrong_attributes_are_refused_in_words,
]
"""The properties that are checked once for each op."""
