"""Building an application of the op `loop` from the functions that users give."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gradops import OPS, ArrayType, Dim, DTypeError, GraphError, OptionError, ShapeError, flatten
from gradops.core.dims import UNKNOWN, Size
from gradops.core.errors import OperandError, StructureError
from gradops.core.source_location import describe
from gradops.core.types import is_float
from gradops.typing import SizeLike

from ..build.graph import get_default_graph
from ..build.inputs import as_expression, constant, parameter, placeholder_type
from ..ir.expr import Expr, clock
from ..ir.names import Names
from ..ir.tuple_types import with_shape
from . import body_tracing
from .body_tracing import Body, as_result, captures_of, close_body, trace_body
from .ops import element_of

Function = Callable[..., object]
Invariants = Sequence[object] | Mapping[object, object] | None  # nested shapes
RESIDUALS = ("stack", "recompute")


class Loop:
    """A loop under construction: its initial state, and the form in which functions take it."""

    def __init__(
        self, name: str, state: object, residuals: str, invariants: Invariants = None,
        whole: bool = False,
    ) -> None:  # fmt: skip
        if residuals not in RESIDUALS:
            raise OptionError(name, [], f"residuals is one of {RESIDUALS}, not {residuals!r}")
        leaves, self.rebuild = flatten(state)
        self.name, self.recompute, self.whole = name, residuals == "recompute", whole
        self.leaves, self.invariants = leaves, invariants
        self.start: list[Expr] = []

    def build(
        self, fn: Function, elems: object = (), cond: Function | None = None, reverse: bool = False
    ) -> tuple[Any, Any]:
        """The final state, and the stacked results of the steps."""
        lists, rebuild_elems = flatten(elems)
        self.start = initial_state(self.leaves, lists)
        if not (lists if cond is None else self.start):
            raise GraphError(f"{self.name}: there is nothing to loop over")
        require_lists(self.name, lists)
        graph = get_default_graph()
        names = next((e.names for e in (*self.start, *lists) if e.names), graph.names)
        with graph.name_scope(self.name):
            number = next(clock)
            types = invariant_types(self.name, self.start, self.invariants)
            free, types = free_sizes(types, self.start)
            state = [parameter(names, t, "state") for t in types]
            steps = [parameter(names, element_of(e.type), "entry") for e in lists]

            def form(parameters: list[Expr]) -> Iterable[object]:
                own, entry = parameters[: len(state)], parameters[len(state) :]
                if self.whole:
                    return self.rebuild(own), rebuild_elems(entry)
                result = self.rebuild(own)
                return list(result.values()) if isinstance(result, dict) else list(result)

            what = f"{'body' if cond else 'function'} of {self.name}"
            body = trace_body(fn, [*state, *steps], number, form, what)
            check = cond and trace_body(cond, state, number, form, f"condition of {self.name}")
            self.convert_results(names, body, free)
            if check:
                check.outputs = [self.truth(names, check)]
            result = self.apply(body, check, state, lists, reverse)
            return self.finish(body, result)

    def convert_results(self, names: Names, body: Body, free: set[Size]) -> None:
        """Convert the body's results to expressions; raises unless they fit the state."""
        returned = body.rebuild(body.leaves)
        if self.whole:
            if not isinstance(returned, tuple) or len(returned) != 2:
                raise StructureError(
                    f"{self.name}: the function gives (state, result), not {returned!r}"
                )
            new, rest = flatten(returned[0])[0], flatten(returned[1])[0]
        else:
            new, rest = body.leaves, []
        if len(new) != len(self.start):
            raise StructureError(
                f"{self.name}: the body gives {len(new)} values for {len(self.start)} variables:"
                f" {returned!r}"
                "\n  hint: give all of them back, changed or not, in the order of the arguments"
            )
        outputs = [
            checked_state(f"{self.name}: variable {k}", e, p, as_result(names, x, e), free)
            for k, (e, p, x) in enumerate(zip(self.start, body.parameters, new, strict=False))
        ]
        pairs = zip(new, outputs, strict=True)  # what a scan gives beside its state, is its state
        settled = {x: e for x, e in pairs if isinstance(x, Expr)}
        body.outputs = [
            *outputs,
            *(
                settled[x] if isinstance(x, Expr) and x in settled else as_result(names, x)
                for x in rest
            ),
        ]

    def truth(self, names: Names, check: Body) -> Expr:
        """The condition's result; raises unless it is one truth value without effects."""
        if len(check.leaves) != 1:
            raise GraphError(f"{self.name}: the condition gives one truth value")
        e = as_result(names, check.leaves[0])
        if e.shape or e.dtype.kind != "b":
            raise ShapeError(self.name, [e.label], "the condition gives one truth value",
                             hint="reduce it: reduce_all(...) or reduce_any(...)")  # fmt: skip
        if check.effects:
            raise GraphError(f"{self.name}: the condition has effects; let the body have them")
        return e

    def apply(
        self, body: Body, check: Body | None, parameters: list[Expr], lists: list[Expr],
        reverse: bool,
    ) -> tuple[list[Expr], list[Expr]]:  # fmt: skip
        """The results of the loop, and the assignments of variables that its body assigns."""
        changed = body_tracing.state_of([body])
        own = set(changed)
        captures = [e for e in captures_of([body, *([check] if check else [])]) if e not in own]
        n, m = len(self.start), len(changed)
        steps = body.parameters[n:]
        inner = close_body(
            body, [*body.parameters[:n], *changed, *steps, *captures], changed, insert=n
        )
        test = check and close_body(check, [*parameters, *changed, *captures], ())
        result = OPS["loop"](
            *self.start, *changed, *lists, *captures, body=inner, cond=test, carries=n + m,
            lists=len(lists), gives=len(inner.outputs) - n - m, reverse=reverse,
            recompute=self.recompute,
        )  # fmt: skip
        effects = body_tracing.assign_final_values(changed, result[n : n + m])
        return body_tracing.depend_on([*result[:n], *result[n + m :]], effects), effects

    def finish(self, body: Body, results: tuple[list[Expr], list[Expr]]) -> tuple[Any, Any]:
        """The state and the stacked results of the steps, each in its structure."""
        values, effects = results
        n = len(self.start)
        arrays = [OPS["stacked"](y, shape=y.shape[1:], dtype=y.dtype) for y in values[n:]]
        body_tracing.depend_on(arrays, effects)
        if not self.whole:
            return self.rebuild(values[:n]), ()
        return self.rebuild(values[:n]), body.rebuild([*values[:n], *arrays])[1]


def initial_state(leaves: Sequence[object], lists: Sequence[Expr]) -> list[Expr]:
    """The initial state as expressions; Python floats take the dtype of the first floats."""
    floats = [x for x in (*lists, *leaves) if hasattr(x, "dtype") and is_float(x.dtype)]
    dtype = floats[0].dtype if floats else None
    return [constant(x, dtype) if dtype and type(x) is float else as_expression(x) for x in leaves]


def require_lists(name: str, lists: Sequence[Expr]) -> None:
    """Raise ShapeError unless all have a first axis, of one length."""
    for e in lists:
        if not e.shape:
            raise ShapeError(name, [e.label], "a number has no entries to go through")
        first, size = lists[0].shape[0], e.shape[0]
        if isinstance(first, int) and isinstance(size, int) and first != size:
            types = [x.label for x in lists]
            raise ShapeError(name, types, f"the lengths differ: {first} and {size}")


def invariant_types(name: str, start: Sequence[Expr], invariants: Invariants) -> list[ArrayType]:
    """The types of the loop variables, with unknown sizes where `invariants` has None."""
    if invariants is None:
        return [e.type for e in start]
    shapes = shapes_in(invariants)
    if len(shapes) != len(start):
        raise StructureError(
            f"{name}: got {len(start)} variables and {len(shapes)} shape_invariants"
        )
    result = []
    for e, shape in zip(start, shapes, strict=True):
        t = e.type if shape is None else placeholder_type(e.dtype, shape)
        if len(t.shape) != len(e.shape):
            raise ShapeError(
                name, [e.label], f"the invariant {tuple(shape or ())} has another rank"
            )
        result.append(t)
    return result


def shapes_in(invariants: Any) -> Sequence[Sequence[SizeLike | None] | None]:
    """The shapes in a nested structure; a shape is a sequence of sizes."""
    result: list[Sequence[SizeLike | None] | None] = []
    for x in invariants.values() if isinstance(invariants, dict) else invariants:
        is_shape = x is None or all(n is None or isinstance(n, int | str | Dim) for n in x)
        result += [x] if is_shape else shapes_in(x)
    return result


def free_sizes(
    types: Sequence[ArrayType], start: Sequence[Expr]
) -> tuple[set[Size], list[ArrayType]]:
    """Name the sizes that may change from step to step; they, and the types that have them."""
    number = next(clock)
    free: set[Size] = set()
    result = []
    for k, (t, e) in enumerate(zip(types, start, strict=True)):
        sizes: list[Size] = [
            Dim(f"state{number}.{k}.{i}") if n == UNKNOWN else n for i, n in enumerate(t.shape)
        ]
        free.update(n for n, m in zip(sizes, t.shape, strict=True) if n != m)
        result.append(with_shape(e.type, tuple(sizes)))
    return free, result


def checked_state(name: str, e: Expr, p: Expr, y: Expr, free: set[Size]) -> Expr:
    """The new value `y` of a loop variable; raises unless its type is that of the parameter `p`.

    A size that only a run can know is checked then.
    """
    error: type[OperandError] = ShapeError
    hint = "give shape_invariants with None for the sizes that change"
    if y.dtype != p.dtype:
        widening = p.dtype.kind in "biu" and y.dtype.kind == "f"
        hint = "begin with a float, as 0.0" if widening else f"astype(value, {str(p.dtype)!r})"
        error = DTypeError
    elif len(y.shape) == len(p.shape):
        shape = tuple(n if m in free else m for n, m in zip(y.shape, p.shape, strict=True))
        if not any(map(grows, y.shape, shape)):
            return y if shape == y.shape else OPS["ensure_shape"](y, shape=shape)
    raise error(
        name, [p.type, y.type],
        f"it begins a step as {p.type} and ends it as {y.type}"
        f"\n  it starts as {e.label}, made at {describe(e.place)}"
        f"\n  a step gives {y.label}, made at {describe(y.place)}",
        hint=hint,
    )  # fmt: skip


def grows(after: Size, before: Size) -> bool:
    """Whether a size certainly changes in a step, unless it is 0."""
    difference = after - before
    if isinstance(difference, int):
        return difference != 0
    match difference.linear:
        case (_, times, plus):
            return plus == 0 or times * plus > 0
    return False
