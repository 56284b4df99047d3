"""Optimization levels: which passes run, and choosing among them."""

from collections.abc import Hashable, Iterable, Sequence

from gradops.core.errors import OptionError

from ..build.suggest import nearest
from .batching.batch import BatchOps
from .batching.stacks import FlattenStacks
from .constants import PropagateConstants
from .fold import Fold
from .fusion.elementwise import FuseElementwise
from .interface import Pass
from .joins.bypass import BypassJoins
from .joins.elementwise import JoinElementwise
from .joins.scatters import JoinScatters
from .loops.after import WeightGradientsAfterLoop
from .loops.before import ProjectionsBeforeLoop
from .loops.hoist import HoistInvariants
from .loops.lists import ListsAfterLoop
from .loops.roll import RollRepeats
from .loops.sink import SinkIntoBranches
from .loops.unchanged import ShareUnchangedState
from .pairs import ComputePairs
from .pipeline import Check, Pipeline
from .products.association import AssociateProducts
from .products.contractions import ContractSums
from .products.factors import CollectFactors
from .products.inverses import InvertFactors
from .products.log_products import MultiplyLogs
from .products.triangles import DropTriangles
from .prune import Prune
from .rewrite import Rewrite, Rule
from .scalars import FloatScalars, MathScalars
from .simplify import (
    DropBroadcasts,
    DropGradients,
    DropRetyping,
    ReduceStrength,
    Simplify,
    Stabilize,
)

Level = int | str
PassLike = Pass | str | type[Pass]

EXACT: tuple[Pass, ...] = (
    JoinElementwise(), PropagateConstants(), Prune(), DropGradients(), RollRepeats(),
    ShareUnchangedState(), PropagateConstants(), DropRetyping(), DropBroadcasts(), Fold(),
    Simplify(), Fold(), Simplify(), HoistInvariants(), SinkIntoBranches(), FloatScalars(),
    ComputePairs(),
)  # fmt: skip
BOUNDED: tuple[Pass, ...] = (
    InvertFactors(), BypassJoins(), JoinScatters(), ReduceStrength(), Fold(), CollectFactors(),
    AssociateProducts(), ContractSums(), DropTriangles(), Simplify(), DropRetyping(), BatchOps(),
    Fold(), FlattenStacks(), MultiplyLogs(), ListsAfterLoop(), ProjectionsBeforeLoop(),
    WeightGradientsAfterLoop(), MathScalars(), FuseElementwise(), ComputePairs(),
)  # fmt: skip
LEVELS: dict[Level, tuple[Pass, ...]] = {
    0: (), 1: EXACT, 2: (*EXACT, *BOUNDED),
    "stabilize": (*EXACT, Stabilize(), *EXACT[3:], *BOUNDED),
}  # fmt: skip
"""The passes of each level: none; exact ones; those that state a bound, too; and `Stabilize`."""


def pipeline_for(
    optimize: Level | Pipeline, passes: Iterable[PassLike] | None = None,
    without: Iterable[PassLike] | PassLike = (), rules: Sequence[Rule] | Rule = (),
    check: Check | None = None,
) -> Pipeline:  # fmt: skip
    """The passes of a level, or those of `passes`, but `without` some, and after the `rules`.

    Passes are named by themselves, their classes or their names. Raises OptionError for a level, a
    pass or a rule that there is not.
    """
    if isinstance(optimize, Pipeline):
        return optimize
    if not isinstance(optimize, Hashable) or optimize not in LEVELS:
        levels = ", ".join(map(repr, LEVELS))
        raise OptionError("compile", [], f"optimize is one of {levels}, not {optimize!r}")
    listed = LEVELS[optimize] if passes is None else [pass_named(p) for p in sequence_of(passes)]
    left_out = {pass_named(p).name for p in sequence_of(without)}
    own = [Rewrite(require_rules(rules))] if rules else []
    return Pipeline((*own, *[p for p in listed if p.name not in left_out]), check)


def sequence_of(passes: Iterable[PassLike] | PassLike) -> list[PassLike]:
    """One or several passes as a list."""
    if isinstance(passes, Pass | str | type):
        return [passes]
    if not isinstance(passes, Iterable):
        raise OptionError("compile", [], f"passes are given in a sequence, not as {passes!r}")
    return list(passes)


def pass_named(p: PassLike) -> Pass:
    """A pass, given itself, its class or its name."""
    known = {each.name: each for each in LEVELS["stabilize"]}
    if isinstance(p, type) and issubclass(p, Pass):
        return default_of(p)
    if isinstance(p, Pass):
        return p
    if isinstance(p, Hashable) and p in known:
        return known[p]
    hint = nearest(str(p), known) or f"\n  hint: the passes are {', '.join(known)}"
    raise OptionError("compile", [], f"there is no pass {p!r}{hint}")


def default_of(kind: type[Pass]) -> Pass:
    """The pass of a class, with default options; raises OptionError if there are none."""
    try:
        return kind()
    except TypeError as error:
        hint = "give a pass with its options, as in passes=[FuseElementwise(threshold=0)]"
        raise OptionError("compile", [], f"{kind.__name__} has options: {error}", hint) from error


def require_rules(rules: Sequence[Rule] | Rule) -> tuple[Rule, ...]:
    """The rules as a tuple; raises OptionError for what is not one."""
    listed = tuple(rules) if isinstance(rules, Iterable) else (rules,)
    for rule in listed:
        if not isinstance(rule, Rule):
            raise OptionError("compile", [], f"a rewrite rule is a Rule, not {rule!r}")
    return listed
