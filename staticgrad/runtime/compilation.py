"""Compiling: an executable of expressions or of a frozen graph, by one of the backends."""

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from gradops import FeedError, FetchError, OptionError, flatten

from ..build.graph import get_default_graph
from ..freezing.freezer import freeze
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph
from ..ir.nominal import nominal_bytes
from ..passes.fusion.elementwise import FuseElementwise
from ..passes.levels import Level, PassLike, pipeline_for
from ..passes.pairs import ComputePairs
from ..passes.pipeline import Check, Pipeline
from ..passes.rewrite import Rule
from .backends.choice import executable_for
from .executable import Executable

if TYPE_CHECKING:
    from .checking.accuracy import CodeReport


def compile(
    outputs: Any, inputs: Any = None, optimize: Level = 2, check_numerics: bool = False,
    rules: Sequence[Rule] = (), *, passes: Iterable[PassLike] | None = None,
    without: Iterable[PassLike] | PassLike = (), verify: bool | Sequence[Any] = False,
    memory_budget: int | None = None, backend: str | None = None,
) -> Executable:  # fmt: skip
    """An executable that computes `outputs` from `inputs`.

    `outputs` is an expression, or a structure (list, tuple, dict, dataclass) of them, whose form
    the results have; or a frozen graph, whose results come as a tuple. `optimize=0` computes what
    was written and nothing else; 1 also runs passes that are exact: both have the bits that eager
    execution gives. 2 adds passes that state a bound. `passes` replaces those of the level and
    `without` leaves some out, given by themselves or by name; `rules` are applied before them. With
    `verify` the graph is run before and after each pass, on random feeds that it accepts or on
    those given, and what a pass changes beyond its bound raises PassError;
    `executable.verification` says how exact the code is that was made. UnverifiedWarning says that
    the graph raises for all random feeds, so that nothing was compared. With a `memory_budget` in
    bytes, forward values are computed again in the backward until the predicted peak of what a run
    allocates is within it; unknown sizes count as 64. With `check_numerics` the first value that is
    not finite, inside loops too, raises NotFiniteError.

    The `backend` is `"numpy"`, generated source, unless `set_default_backend` says otherwise.
    `"native"` compiles the whole graph to machine code, of unknown sizes for each of those it is
    run with; it needs the extra `native`. `"auto"` is `"native"` where that is possible, where it
    is predicted to save the time of compiling within 10,000 runs, and where no promise of the bits
    forbids it, as at levels 0 and 1; else it is `"numpy"`. `"interpreter"` runs node by node.
    `choices` says what was chosen, and why.

    Raises FeedError if a placeholder is missing in `inputs`, OptionError for passes that there are
    not, and for a budget that is not reached, or a backend that cannot run the graph.

    >>> x = sg.placeholder("float32", ["batch"], name="x")
    >>> f = sg.compile({"double": x * 2, "sum": sg.reduce_sum(x)}, [x])
    >>> f([1.0, 2.0])
    {'double': array([2., 4.], dtype=float32), 'sum': np.float32(3.0)}
    """
    if isinstance(outputs, FrozenGraph):
        if inputs is not None:
            raise FeedError(f"a frozen graph has its inputs already: {outputs.inputs}")
        graph, form, rebuild = outputs, "{},", None
    else:
        graph = graph_of(outputs, inputs)
        form, rebuild = form_of(outputs)
    feeds, check = feeds_and_check(graph, verify)
    pipeline = pipeline_for(optimize, passes, without, rules, check)
    if memory_budget is not None:
        pipeline = within_budget(pipeline, memory_budget)
    result = executable_for(backend, graph, pipeline, form, rebuild, check_numerics)
    if verify is not False:
        result.verification = verified(result, feeds)
    return result


def feeds_and_check(
    graph: FrozenGraph, verify: bool | Sequence[Any]
) -> tuple[Sequence[Any] | None, Check | None]:
    """The feeds with which code and passes are verified, and the check of passes."""
    if verify is False:
        return None, None
    from .checking.verification import feeds_of_verification, verifier

    feeds = feeds_of_verification(graph, verify)
    return feeds, verifier(feeds)


def within_budget(pipeline: Pipeline, budget: object) -> Pipeline:
    """A pipeline that computes forward values again until the peak is within a budget."""
    from ..codegen.memory.schedule import predicted_peak
    from ..passes.rematerialize import Rematerialize

    if not is_number_of_bytes(budget):
        raise OptionError("compile", [], f"memory_budget is in bytes, not {budget!r}")
    return pipeline.without(ComputePairs, FuseElementwise).followed_by(
        Rematerialize(budget, predicted_peak, value_bytes)
    )


def verified(executable: Executable, feeds: Sequence[Any] | None) -> "CodeReport":
    """The accuracy of code, whose results are compared with those of its graph.

    Raises PassError if they are not within the bound.
    """
    from .checking.accuracy import CodeReport, accuracy_of
    from .checking.verification import require_code

    if feeds is None:
        return CodeReport(executable.bound, ())
    code = executable.graph, executable.attempt, executable.bound, feeds
    with np.errstate(all="ignore"):  # of feeds that nobody asked for
        require_code(*code)
        return accuracy_of(*code)


def is_number_of_bytes(budget: object) -> TypeGuard[int]:
    """True for a number but NaN; a truth value is not one."""
    return isinstance(budget, Real) and not isinstance(budget, bool) and budget == budget


def value_bytes(e: Expr) -> int:
    """The bytes of a value."""
    return nominal_bytes(e.type)


def graph_of(outputs: Any, inputs: Any) -> FrozenGraph:
    """The frozen graph of a structure of expressions, without variables."""
    graph = freeze(
        [fetched(e) for e in flatten(outputs)[0]], [fetched(e) for e in sequence(inputs)]
    )
    if variables := [e for e in graph.inputs if e.kind is Kind.VARIABLE]:
        shown = ", ".join(e.label for e in variables)
        raise FeedError(f"the graph reads variables: {shown}\n  hint: give them in inputs, or run"
                        " it in a Session, which has their values")  # fmt: skip
    return graph


def form_of(outputs: Any) -> tuple[str, Any]:
    """How the generated function returns results, and a function that rebuilds their structure."""
    if isinstance(outputs, Expr):
        return "{}", None
    if outputs and type(outputs) is list and all(isinstance(e, Expr) for e in outputs):
        return "[{}]", None
    return "{},", flatten(outputs)[1]


def fetched(e: Any) -> Expr:
    """An expression to compute, or a FetchError."""
    if isinstance(e, str):
        return get_default_graph().get_tensor_by_name(e)
    if isinstance(e, Expr):
        return e
    hint = "\n  hint: function(f) compiles what f does; trace(f, arguments) gives its graph"
    hint = hint if callable(e) else ""
    raise FetchError(f"{e!r} is neither an expression nor the name of one{hint}")
