"""Surgery on frozen graphs: taking a part out, and putting something else in."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradops import FeedError, FetchError, GraphError, Op

from ..build.graph import Graph
from ..build.inputs import constant
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.lossless import as_array_for
from ..ir.reachability import reachable
from ..ops.spelling import FUNCTIONS, OPS_CALLED
from .lookup import Elements
from .substitution import StandIn, Surgery


def extract(graph: FrozenGraph, outputs: Any, inputs: Any = None) -> FrozenGraph:
    """The part of a graph that computes `outputs` from `inputs`, and changes no variable.

    Both are expressions of the graph or their names, one or several. Inputs become placeholders,
    also where the graph computes them; after them come the inputs of the graph that are still
    needed. Raises FetchError and FeedError for what the graph does not have.

    >>> x = sg.placeholder("float32", ["n"], name="x")
    >>> graph = sg.freeze([sg.reduce_sum(sg.tanh(x * 2))], [x])
    >>> print(sg.to_text(sg.extract(graph, "tanh", ["mul"]), lines=False))
    graph(mul: float32[n])
      tanh: float32[n] = tanh(mul)
      return tanh
    """
    elements = Elements(graph)
    ends = [elements.find(e, FetchError) for e in sequence(outputs)]
    cuts = [elements.find(e, FeedError) for e in sequence(inputs)]
    if len(set(cuts)) < len(cuts):
        raise FeedError(f"an input is given twice: {', '.join(e.label for e in cuts)}")
    surgery = Surgery(graph, placeholders_for(cuts, graph, elements))
    return surgery.finish(surgery.uses(ends), surgery.uses(cuts))


def placeholders_for(
    cuts: Sequence[Expr], graph: FrozenGraph, elements: Elements
) -> dict[Expr, StandIn]:
    """A placeholder in the place of each expression, under a name that no other input has."""
    result: dict[Expr, StandIn] = {}
    taken = {e.name for e in set(graph.inputs).difference(cuts)}
    for e in cuts:
        name = elements.names[e]
        while name in taken:
            name += "_"
        taken.add(name)
        leaf = Expr(Kind.PLACEHOLDER, e.type, name, None, place=e.place)
        result[e] = placed(e if e.kind is Kind.PLACEHOLDER else leaf)
    return result


def placed(leaf: Expr) -> StandIn:
    """The stand-in that is `leaf`."""
    return StandIn(lambda intern: intern.copy(leaf, ()))


def replace(graph: FrozenGraph, new: Mapping[Any, Any]) -> FrozenGraph:
    """The graph with something else in the place of some of its expressions.

    The keys of `new` say which: a name, an expression, an op (each of its applications), or a
    function from an expression to whether it is meant. The values say what stands in: an
    expression of the graph or the name of one, an array or a number, or a function that builds it
    from the operands and attributes that the op was given. The inputs stay. Raises FetchError for
    what the graph does not have, GraphError for another type than that of what is replaced, and for
    what would be computed from itself.

    >>> x = sg.placeholder("float32", ["n"], name="x")
    >>> graph = sg.freeze([sg.tanh(x) * 2], [x])
    >>> print(sg.to_text(sg.replace(graph, {sg.tanh: sg.relu, "constant": 3}), lines=False))
    graph(x: float32[n])
      tanh/relu: float32[n] = relu(x)
      constant/constant: float32[] = constant(3.0)
      mul: float32[n] = mul(tanh/relu, constant/constant)
      return mul
    """
    elements = Elements(graph)
    chosen = meant(graph, elements, new)
    surgery, site = Surgery(graph, {}), building_site(elements)
    for e, value in chosen.items():
        if isinstance(value, Expr | str):
            source = elements.find(value, FetchError)
            surgery.stand_ins[e] = StandIn(lambda intern, x: x, [(source, False)])
        else:
            operands = [(x, x in chosen) for x in e.inputs] if callable(value) else []
            name = elements.names[e]
            surgery.stand_ins[e] = StandIn(builder(site, name, e, value, e.attrs), operands)
    return surgery.whole()


def wrap(graph: FrozenGraph, functions: Mapping[Any, Callable[[Any], Any]]) -> FrozenGraph:
    """The graph with functions of expressions in their place: users of `e` get `function(e)`.

    The keys of `functions` are those of `replace`, and the errors are.

    >>> x = sg.placeholder("float32", ["n"], name="x")
    >>> graph = sg.freeze([sg.exp(x)], [x])
    >>> print(sg.to_text(sg.wrap(graph, {"x": lambda x: sg.minimum(x, 80)}), lines=False))
    graph(x: float32[n])
      x/constant: float32[] = constant(80.0)
      x/minimum: float32[n] = minimum(x, x/constant)
      exp: float32[n] = exp(x/minimum)
      return exp
    """
    elements = Elements(graph)
    surgery, site = Surgery(graph, {}), building_site(elements)
    for e, function in meant(graph, elements, functions).items():
        if not callable(function):
            raise GraphError(f"{e.label} is wrapped in {function!r}, which is not a function")
        surgery.stand_ins[e] = StandIn(
            builder(site, elements.names[e], e, function, {}), [(e, False)]
        )
    return surgery.whole()


def meant(graph: FrozenGraph, elements: Elements, new: Mapping[Any, Any]) -> dict[Expr, Any]:
    """The expressions that the keys stand for, with the keys' values."""
    if not isinstance(new, Mapping):
        raise GraphError(f"what is meant and what stands in come as a mapping, not as {new!r}")
    result: dict[Expr, Any] = {}
    for key, value in new.items():
        for e in meant_by(key, graph, elements):
            if e in result:
                raise GraphError(f"{e.label} is replaced twice")
            result[e] = value
    return result


def meant_by(key: Any, graph: FrozenGraph, elements: Elements) -> list[Expr]:
    """The expressions that one key stands for."""
    op = OPS_CALLED.get(key, key)
    if isinstance(op, Op):
        return [e for e in graph if e.op is op]
    if not callable(op):
        return [elements.find(key, FetchError)]
    if op in FUNCTIONS.values():
        raise FetchError(
            f"{op.__name__} is not an op: it builds several; name those that are meant"
        )
    return [e for e in graph if op(e)]


def building_site(elements: Elements) -> Graph:
    """A graph in which stand-ins are built, under names that the frozen graph does not have."""
    site = Graph("the building site")
    site.names.counts.update(dict.fromkeys(elements.by_name, 1))
    return site


def builder(
    site: Graph, name: str, old: Expr, value: Any, attrs: Mapping[str, Any]
) -> Callable[..., Expr]:
    """Builds what a function gives for its operands, or a constant, in the place of `old`."""

    def build(intern: Interning, *operands: Expr) -> Expr:
        with site.as_default(), site.name_scope(f"{name}/"):
            holes = {hole(site, x): x for x in operands}
            result = value(*holes, **attrs) if callable(value) else value
            if not isinstance(result, Expr):
                result = constant(as_array_for(old, result))
        if result.names is not site.names:
            raise GraphError(f"{old.label} cannot be replaced by {result.label} of another graph"
                             "\n  hint: build it from what the function is given")  # fmt: skip
        return spliced(intern, result, holes)

    return build


def hole(site: Graph, x: Expr) -> Expr:
    """A placeholder for `x`, to be built on."""
    return site.names.add(Expr(Kind.PLACEHOLDER, x.type, x.name, site.names, place=x.place))


def spliced(intern: Interning, end: Expr, holes: Mapping[Expr, Expr]) -> Expr:
    """What was built as part of another graph, on what the holes stand for."""
    made = dict(holes)
    for e in sorted(reachable([end], stop=holes), key=lambda e: e.number):
        if e not in made:
            if e.kind not in (Kind.OP, Kind.CONSTANT, Kind.SIZE):
                raise GraphError(f"{e.label} is a {e.kind.value}: only ops and constants can be put"
                                 " into a frozen graph")  # fmt: skip
            made[e] = intern.copy(e, [made[x] for x in e.inputs])
    return made[end]
