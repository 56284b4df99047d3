"""Optimization passes: transformations that keep what a graph computes and make it cheaper."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from gradops.core.lazy_import import lazily as _lazily

if _TYPE_CHECKING:
    from .batching.batch import BatchOps
    from .batching.stacks import FlattenStacks
    from .constants import PropagateConstants
    from .fold import Fold
    from .fusion.elementwise import FuseElementwise
    from .interface import Pass
    from .joins.bypass import BypassJoins
    from .joins.elementwise import JoinElementwise
    from .joins.scatters import JoinScatters
    from .levels import LEVELS
    from .loops.after import WeightGradientsAfterLoop
    from .loops.before import ProjectionsBeforeLoop
    from .loops.hoist import HoistInvariants
    from .loops.lists import ListsAfterLoop
    from .loops.roll import RollRepeats
    from .loops.sink import SinkIntoBranches
    from .loops.unchanged import ShareUnchangedState
    from .pairs import ComputePairs
    from .pipeline import PassReport, Pipeline
    from .products.association import AssociateProducts
    from .products.contractions import ContractSums
    from .products.factors import CollectFactors
    from .products.inverses import InvertFactors
    from .products.log_products import MultiplyLogs
    from .products.triangles import DropTriangles
    from .prune import Prune
    from .rematerialize import Rematerialize
    from .rewrite import Rewrite
    from .scalars import FloatScalars, MathScalars
    from .simplify import (
        DropBroadcasts,
        DropGradients,
        DropRetyping,
        ReduceStrength,
        Simplify,
        Stabilize,
    )

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "batching.batch": "BatchOps", "batching.stacks": "FlattenStacks",
        "constants": "PropagateConstants", "fold": "Fold", "fusion.elementwise": "FuseElementwise",
        "interface": "Pass", "joins.bypass": "BypassJoins", "joins.elementwise": "JoinElementwise",
        "joins.scatters": "JoinScatters", "levels": "LEVELS",
        "loops.after": "WeightGradientsAfterLoop", "loops.before": "ProjectionsBeforeLoop",
        "loops.hoist": "HoistInvariants", "loops.lists": "ListsAfterLoop",
        "loops.roll": "RollRepeats", "loops.sink": "SinkIntoBranches",
        "loops.unchanged": "ShareUnchangedState", "pairs": "ComputePairs",
        "pipeline": "PassReport Pipeline", "products.association": "AssociateProducts",
        "products.contractions": "ContractSums",
        "products.factors": "CollectFactors", "products.inverses": "InvertFactors",
        "products.log_products": "MultiplyLogs", "products.triangles": "DropTriangles",
        "prune": "Prune",
        "rematerialize": "Rematerialize", "rewrite": "Rewrite",
        "scalars": "FloatScalars MathScalars",
        "simplify": "DropBroadcasts DropGradients DropRetyping ReduceStrength Simplify Stabilize",
    },
)  # fmt: skip

__all__ = [
    "LEVELS", "AssociateProducts", "BatchOps", "BypassJoins", "CollectFactors", "ComputePairs",
    "ContractSums", "DropBroadcasts", "DropGradients", "DropRetyping", "DropTriangles",
    "FlattenStacks", "FloatScalars", "Fold", "FuseElementwise", "HoistInvariants", "InvertFactors",
    "JoinElementwise", "JoinScatters", "ListsAfterLoop", "MathScalars", "MultiplyLogs", "Pass",
    "PassReport", "Pipeline", "ProjectionsBeforeLoop", "PropagateConstants", "Prune",
    "ReduceStrength", "Rematerialize", "Rewrite", "RollRepeats", "ShareUnchangedState",
    "Simplify", "SinkIntoBranches", "Stabilize", "WeightGradientsAfterLoop",
]  # fmt: skip
