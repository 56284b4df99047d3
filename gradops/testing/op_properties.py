"""Checks every property of an op on its samples."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.dims import Dim
from ..core.op import OPS, Op, Samples
from ..core.traits import Trait
from ..core.types import ArrayType, is_complex, is_float, type_of
from ..transforms.batching import vmap
from . import op_errors
from .cases import SAME_SUM, Case, agree, cases, cotangent, noise, same_bits, with_derivative
from .derivative_properties import RULES
from .op_errors import PropertyError, demand

__all__ = ["PropertyError", "check"]

NOT_OF_ARRAYS = {Trait.CONTROL, Trait.EFFECT, Trait.LOWERED}
"""Traits of ops of graphs, lists and tokens, and of those that passes of a compiler make."""
NEAR = 1e-15  # a few ULP of double precision
SPECIAL = np.array([0.0, -0.0, 1.0, -2.5, 800.0, -800.0, np.inf, -np.inf, np.nan])


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
    objects = {k: v for k, v in case.attrs.items() if repr(v).startswith("<")}
    attrs = {k: k if k in objects else repr(v) for k, v in case.attrs.items()}
    given = "" if out is None else ", out=out"
    source = template.format(*names, operands=", ".join(names), out=given, fresh="fresh", **attrs)
    kernels = {op.name: op.kernel for op in OPS.values()}
    scope = {**kernels, "np": np, "dtype": np.dtype, "inf": np.inf, "nan": np.nan, "out": out}
    return eval(source, scope | objects | names)  # of an op's own declaration, not of data


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
    *RULES,
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
