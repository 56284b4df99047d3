"""Whether an op takes its operands whatever the sizes that are not known.

Note [Conflicts]. Sizes `n` and `m` may be equal in every run, or in none; until then `x + y` is an
error that may come. What is moved out of a loop runs even if the loop makes no step. So ops are
moved only if their types can be inferred for sizes that have nothing in common, and for zeros.
"""

from collections.abc import Mapping

from gradops.core.errors import GradError

from ..ir.expr import Expr
from ..ir.sizes import bound_type, names_in, substitute_sizes

PRIMES = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069, 1087, 1091)


def fits_always(e: Expr) -> bool:
    """True if there is a result for operands of all sizes. See Note [Conflicts]."""
    names = names_in([e.shape, *(x.shape for x in e.inputs), *e.attrs.values()])
    if not names:
        return True
    apart = dict(zip(sorted(names), PRIMES, strict=False))
    return len(names) <= len(PRIMES) and fits(e, apart) and fits(e, dict.fromkeys(names, 0))


def fits(e: Expr, sizes: Mapping[str, int]) -> bool:
    """True if there is a result for operands of these sizes."""
    assert e.op is not None
    attrs = {k: substitute_sizes(v, sizes) for k, v in e.attrs.items()}
    try:
        e.op.type_for([bound_type(x.type, sizes) for x in e.inputs], attrs)
    except GradError:
        return False
    return True
