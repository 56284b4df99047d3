"""Surgery on frozen graphs: extracting, replacing and wrapping parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from gradops import FeedError, FetchError, GraphError, Op
from gradops.typing import Attrs

from ..build.graph import Graph
from ..build.inputs import constant
from ..ir.expr import Expr, Kind, sequence
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.lossless import as_array_for
from ..ir.reachability import reachable
from ..ops.spelling import FUNCTIONS, OPS_CALLED
from .lookup import Elements
from .substitution import Replacement, Substitution

T = TypeVar("T")
Keys = Expr | str | Sequence[Expr | str]
Selector = Expr | str | Op | Callable[..., Any]  # an op, a function of the table, or a predicate


def extract(graph: FrozenGraph, outputs: Keys, inputs: Keys | None = None) -> FrozenGraph:
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
    surgery = Substitution(graph, placeholders_for(cuts, graph, elements))
    return surgery.finish(surgery.uses(ends), surgery.uses(cuts))


def placeholders_for(
    cuts: Sequence[Expr], graph: FrozenGraph, elements: Elements
) -> dict[Expr, Replacement]:
    """A placeholder as the replacement of each expression, with a name of its own."""
    result: dict[Expr, Replacement] = {}
    taken = {e.name for e in set(graph.inputs).difference(cuts)}
    for e in cuts:
        name = elements.names[e]
        while name in taken:
            name += "_"
        taken.add(name)
        leaf = Expr(Kind.PLACEHOLDER, e.type, name, None, place=e.place)
        result[e] = leaf_replacement(e if e.kind is Kind.PLACEHOLDER else leaf)
    return result


def leaf_replacement(leaf: Expr) -> Replacement:
    """A replacement by a leaf."""
    return Replacement(lambda intern: intern.copy(leaf, ()))


def replace(graph: FrozenGraph, new: Mapping[Selector, Any]) -> FrozenGraph:
    """The graph with some of its expressions replaced.

    A key of `new` is a name, an expression, an op (all its applications), or a predicate of
    expressions. A value is an expression of the graph or the name of one, an array or a number, or
    a function that builds the replacement from the operands and attributes of the op. The inputs
    of the graph stay. Raises FetchError for expressions that the graph does not have, GraphError
    for a replacement of another type, or one that depends on itself.

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
    replaced = resolve_keys(graph, elements, new)
    surgery, site = Substitution(graph, {}), building_site(elements)
    for e, value in replaced.items():
        if isinstance(value, Expr | str):
            source = elements.find(value, FetchError)
            surgery.replacements[e] = Replacement(lambda intern, x: x, [(source, False)])
        else:
            operands = [(x, x in replaced) for x in e.inputs] if callable(value) else []
            name = elements.names[e]
            surgery.replacements[e] = Replacement(
                make_builder(site, name, e, value, e.attrs), operands
            )
    return surgery.whole()


def wrap(graph: FrozenGraph, functions: Mapping[Selector, Callable[[Expr], Expr]]) -> FrozenGraph:
    """The graph with functions applied to some of its expressions: users of `e` get `function(e)`.

    Keys and errors are as for `replace`.

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
    surgery, site = Substitution(graph, {}), building_site(elements)
    for e, function in resolve_keys(graph, elements, functions).items():
        if not callable(function):
            raise GraphError(f"{e.label} is wrapped in {function!r}, which is not a function")
        surgery.replacements[e] = Replacement(
            make_builder(site, elements.names[e], e, function, {}), [(e, False)]
        )
    return surgery.whole()


def resolve_keys(
    graph: FrozenGraph, elements: Elements, new: Mapping[Selector, T]
) -> dict[Expr, T]:
    """The expressions that the keys select, with the keys' values."""
    if not isinstance(new, Mapping):
        raise GraphError(f"replacements are a mapping from expressions, not {new!r}")
    result: dict[Expr, T] = {}
    for key, value in new.items():
        for e in resolve_key(key, graph, elements):
            if e in result:
                raise GraphError(f"{e.label} is replaced twice")
            result[e] = value
    return result


def resolve_key(key: Selector, graph: FrozenGraph, elements: Elements) -> list[Expr]:
    """The expressions that one key selects."""
    op = OPS_CALLED.get(key, key) if callable(key) else key
    if isinstance(op, Op):
        return [e for e in graph if e.op is op]
    if not callable(op):
        return [elements.find(key, FetchError)]
    if op in FUNCTIONS.values():
        raise FetchError(f"{op.__name__} is not an op: it builds several; name the ones to replace")
    return [e for e in graph if op(e)]


def building_site(elements: Elements) -> Graph:
    """A graph to build replacements in, with names that the frozen graph does not have."""
    site = Graph("the building site")
    site.names.counts.update(dict.fromkeys(elements.by_name, 1))
    return site


def make_builder(
    site: Graph, name: str, old: Expr, value: Any, attrs: Attrs
) -> Callable[..., Expr]:
    """A function that builds the replacement of `old`: the result of `value`, or a constant."""

    def build(intern: Interning, *operands: Expr) -> Expr:
        with site.as_default(), site.name_scope(f"{name}/"):
            holes = {hole(site, x): x for x in operands}
            result = value(*holes, **attrs) if callable(value) else value
            if not isinstance(result, Expr):
                result = constant(as_array_for(old, result))
        if result.names is not site.names:
            raise GraphError(f"{old.label} cannot be replaced by {result.label} of another graph"
                             "\n  hint: build it from what the function is given")  # fmt: skip
        return splice(intern, result, holes)

    return build


def hole(site: Graph, x: Expr) -> Expr:
    """A placeholder for `x` in the graph `site`."""
    return site.names.add(Expr(Kind.PLACEHOLDER, x.type, x.name, site.names, place=x.place))


def splice(intern: Interning, end: Expr, holes: Mapping[Expr, Expr]) -> Expr:
    """Copy `end`, built in another graph, with the holes replaced by their expressions."""
    made = dict(holes)
    for e in sorted(reachable([end], stop=holes), key=lambda e: e.number):
        if e not in made:
            if e.kind not in (Kind.OP, Kind.CONSTANT, Kind.SIZE):
                raise GraphError(f"{e.label} is a {e.kind.value}: only ops and constants can be put"
                                 " into a frozen graph")  # fmt: skip
            made[e] = intern.copy(e, [made[x] for x in e.inputs])
    return made[end]
