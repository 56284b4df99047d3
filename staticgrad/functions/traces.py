"""A function traced for one kind of arguments: its graph, and how a call runs.

Note [Program state]. A traced program may change the holders that it takes or reaches: updates in
place under `no_grad()`, gradients that backward accumulates. Their final values and gradients are
further outputs of the graph, and are written to the holders after each run. A gradient that exists
when the call begins is a further input.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from gradops import GraphError, flatten
from gradops.core.levels import own_errors
from gradops.core.tracer_protocol import held, is_holder
from gradops.core.tree import form_of, leaves_in, leaves_of

from ..build.effects import group, is_run_only
from ..build.graph import Graph
from ..build.inputs import EFFECTS
from ..build.surroundings import Surroundings
from ..build.tracing import name_of, parameters, placeholder_like
from ..control.calls import Rebuild
from ..freezing.freezer import freeze
from ..ir.expr import Expr
from ..ir.names import set_context
from ..ir.reachability import reachable
from ..runtime.backends.choice import Compiler
from .call_effects import Gradient, Write, effects_of, entries_of
from .captures import LOCK, Numbers, TraceContext, TracedHolder, building
from .python_state import is_value, refuse_changes
from .results import Results
from .tape import Tape, TapedCall, are_arrays
from .trace_guards import TraceGuards
from .trace_state import State


class Trace:
    """A function traced for one kind of arguments."""

    def __init__(
        self, fn: Callable[..., Any], compiler: Compiler, leaves: Sequence[object], rebuild: Rebuild
    ) -> None:
        self.name, self.compiler = name_of(fn), compiler
        roots = [(f"argument {i}", x) for i, x in enumerate(leaves) if not is_value(x)]
        self.inside = inside = TraceContext(
            Graph(self.name), Surroundings([(self.name, fn), *roots])
        )
        changes: list[Expr] = []
        with building(inside), set_context(EFFECTS, changes):
            wrong: list[str] = []
            try:
                inside.enter()
                args, kwargs = rebuild(self.traced_leaves(fn, leaves))
                with own_errors():
                    result, self.rebuild = flatten(fn(*args, **kwargs))
                self.take(result)
            finally:
                inside.leave()
                wrong = inside.restore_state()
            refuse_changes(wrong, inside.drawn, self.name)
            self.compile([x for x in result if is_run_only(x)], changes)
        self.settle(len(leaves))

    def traced_leaves(self, fn: Callable[..., Any], leaves: Sequence[object]) -> list[object]:
        """The leaves of the arguments that the program is traced with."""
        names = parameters(fn, len(leaves))
        made: dict[int, Any] = {}
        self.fed: list[tuple[int, Expr]] = []  # which leaf each feed of an array is
        for i, x in enumerate(leaves):
            if id(x) in made or not is_value(x):
                continue
            if is_holder(x):
                made[id(x)] = self.inside.argument(x, i, names[i])
            else:
                made[id(x)] = placeholder_like(x, names[i])
                self.fed.append((i, made[id(x)]))
        return [made[id(x)] if is_value(x) else x for x in leaves]

    def take(self, leaves: Sequence[object]) -> None:
        """Record results and effects, while holders hold what the program left in them."""
        known = {id(g.inside): g for g in self.inside.given}
        for g in self.inside.given:
            g.refuse_unfit()
        self.results = Results(leaves, known, self.inside.outside)
        self.effects = [e for g in self.inside.given for e in effects_of(g)]
        self.effects += entries_of(self.inside.entries)
        for effect in self.effects:
            if is_holder(effect.source):
                effect.source = effect.source.__gradop_kind__.shallow_copy(effect.source)

    def compile(self, run: Sequence[Expr], changes: Sequence[Expr]) -> None:
        """Compile the graph of results and effects, and record where its inputs come from."""
        sources = [*self.results.templates]
        sources += [e.source for e in self.effects if e.source is not None]
        fetches = [*map(self.inside.result, sources), *run, *[group(*changes)] * bool(changes)]
        histories = [k for k, x in enumerate(sources) if has_history(x)]
        freed = {k: sources[k].__gradop_kind__.freed_by(sources[k]) for k in histories}
        self.spent = [(k, by) for k, by in freed.items() if by is not None]
        self.histories = [k for k, by in freed.items() if by is None]
        ends = fetches if not self.histories else self.inside.graph.get_operations()
        needed = reachable([*ends, *fetches])
        self.connect(needed)
        self.executable = self.compiler(freeze(fetches, self.feeds))
        self.state = State(self.executable, len(self.feeds))
        self.active = [g for g in self.inside.given
                       if g.is_active and (g.feed is None or g.feed in needed)]  # fmt: skip
        writes = [e for e in self.effects if isinstance(e, Write)]
        self.written = [e.given for e in writes if not e.is_replaced]
        self.tape: Tape | None = None
        self.copied: list[int] = []
        if self.histories:
            self.keep_tape([sources[k] for k in self.histories], [e.given for e in writes])

    def keep_tape(self, outputs: Sequence[Any], written: Sequence[TracedHolder]) -> None:
        """Keep the tape of the program for gradients, and which inputs they read."""
        numbers = {e: k for k, e in enumerate(self.feeds)}
        self.places = [None if g in written or g.feed is None else numbers[g.feed]
                       for g in self.active]  # fmt: skip
        self.copied = [numbers[g.feed] for g in written if g.feed in numbers]
        ends, givens = [g.vertex for g in self.active], self.inside.given
        self.tape = Tape(self.inside, givens, self.feeds, ends, outputs, self.compiler)

    def connect(self, needed: dict[Expr, None]) -> None:
        """Record the source of each input: arguments first, then captures."""
        given = self.inside.given
        arguments = sorted([*self.fed, *((g.index, g.feed) for g in given if not g.is_captured)])
        self.arguments: list[Any] = [i for i, _ in arguments]
        own = [g for g in given if g.is_captured and g.feed in needed]
        self.graded = [g for g in given if g.grad_feed in needed]
        arrays = [(e, x) for e, x in self.inside.arrays.values() if e in needed]
        numbers = [n for n in self.inside.numbers.values() if n[0] in needed]
        self.captured = [g.x for g in own]
        self.arrays = [x for _, x in arrays]
        plain = {e for _, e in self.fed} | {e for e, _ in arrays}
        self.numbers = [(mapping, key) for _, mapping, key, _ in numbers]
        self.feeds: list[Any] = [
            *(e for _, e in arguments), *(g.feed for g in own), *(g.grad_feed for g in self.graded),
            *(e for e, _ in arrays), *(n[0] for n in numbers),
        ]  # fmt: skip
        self.plain = [k for k, e in enumerate(self.feeds) if e in plain]

    def settle(self, count: int) -> None:
        """Set up guards and fast paths, and drop the state of tracing."""
        inside = self.inside
        changed = {id(e.given) for e in self.effects if isinstance(e, Write | Gradient)}
        self.watched = TraceGuards(inside, set(map(id, self.captured)), changed)
        self.fits, self.ids = self.watched.fits, self.watched.ids
        self.kind: Any = inside.given[0].kind if inside.given else None
        reads = self.captured or self.graded or self.arrays or self.numbers
        holders = inside.given_captured or any(not g.is_captured for g in inside.given)
        self.takes_arrays = len(self.arguments) == count and not (reads or holders)
        self.takes_holders = not self.fed and self.arguments == [*range(count)] != []
        self.is_direct = self.results.in_order and not (
            self.effects or self.state.values or inside.calls or self.histories or self.spent
        )
        inside.forget(set(map(id, self.watched.givens)))

    def expect(self, args: tuple[Any, ...], captured: set[int]) -> bool:
        """Prepare `attempt` for arguments like these; returns whether it can run them."""
        try:
            form, leaves = form_of(args), leaves_of(args)
        except TypeError:
            return False
        plain = [type(x) is np.ndarray or is_holder(x) for x in leaves]
        if not all(plain) or len(self.arguments) != len(leaves) or self.inside.given_captured:
            return False
        self.classes, self.captured_ids = tuple(map(type, leaves)), captured
        self.form = form if form[-1] else None  # of arguments that are no leaves all
        self.holders = [i for i, x in enumerate(leaves) if is_holder(x)]
        if self.holders:
            self.looks = self.kind.argument_looks([leaves[i] for i in self.holders])
        return True

    def attempt(self, args: tuple[Any, ...]) -> Any:
        """The results for arguments like those of the last call, or NotImplemented if they differ.

        The generated code compares dtypes and shapes itself.
        """
        leaves: Any = args
        if self.form is not None and not leaves_in(args, self.form, leaves := []):
            return NotImplemented
        if tuple(map(type, leaves)) != self.classes or not self.fits():
            return NotImplemented
        if len(leaves) > 1 and len({*map(id, leaves)}) != len(leaves):
            return NotImplemented
        if self.holders:
            given = leaves
            if len(self.holders) < len(leaves):
                given = [leaves[i] for i in self.holders]
            captured = self.captured_ids and not self.captured_ids.isdisjoint(map(id, given))
            if captured or self.kind.argument_looks(given) != self.looks:
                return NotImplemented
        return self.run(leaves, convert=False)

    def values(self, leaves: Sequence[object]) -> Sequence[Any]:
        """The values to feed in a call with these arguments."""
        if self.takes_arrays:
            return leaves
        if self.takes_holders:
            result: list[Any] = self.kind.values(leaves)
        else:
            result = [held(leaves[i]) for i in self.arguments]
        if self.captured:
            result += self.kind.values(self.captured)
        if self.graded:
            result += [held(g.kind.gradient(g.of(leaves))) for g in self.graded]
        result += self.arrays
        return (
            [*result, *(number_in(d, key) for d, key in self.numbers)] if self.numbers else result
        )

    def run(self, leaves: Sequence[object], convert: bool = True) -> Any:
        """Run for arguments of this kind, effects included; returns the results.

        NotImplemented if a captured value belongs to a transform; without `convert`, also unless
        all fed values are C-ordered arrays of the right types.
        """
        values = self.values(leaves)
        if self.is_direct:
            computed = self.executable.attempt(values)
            if computed is not NotImplemented:
                return self.rebuild(self.results.held(computed))
        if convert and (values := self.settled(leaves, values)) is NotImplemented:
            return NotImplemented
        if self.written:
            self.refuse_shared(leaves)
        inputs = [g.of(leaves) for g in self.active]
        taped = self.tape is not None and any(self.kind.vertex(x) is not None for x in inputs)
        kept, variables = values, self.state.named() if taped else {}
        if taped and (self.copied or self.plain):
            kept = self.saved(values)
        computed = self.state.run(values, convert)
        if computed is NotImplemented:
            return NotImplemented
        call = None
        if taped:
            assert self.tape is not None
            call = TapedCall(self.name, self.tape, kept, variables, self.places)
        return self.finish(leaves, inputs, computed, call)

    def saved(self, values: Sequence[Any]) -> list[Any]:
        """The fed values for backward: copies, or samples to check, of those that may change."""
        result = [np.array(v) if k in self.copied else v for k, v in enumerate(values)]
        for k in self.plain:
            result[k] = self.kind.saved(result[k])
        return result

    def finish(self, leaves: Any, inputs: Any, computed: Any, call: TapedCall | None) -> Any:
        """Apply the effects of a call, record it on the tape, and build its results."""
        made = self.results.held(computed)
        count = len(made)
        rest = iter(computed[count:])
        for effect in self.effects:
            x = effect.apply(leaves, None if effect.source is None else next(rest))
            if effect.source is not None:
                made.append(x)
        if call is not None:
            self.kind.record_call(inputs, [made[k] for k in self.histories], call)
        for k, freed in self.spent:
            self.kind.record_freed(inputs, made[k], self.name, freed)
        for done in self.inside.calls:
            done()
        return self.rebuild(self.results.arranged(leaves, made[:count]))

    def settled(self, leaves: Sequence[object], values: Sequence[object]) -> Any:
        """The values of a call once no other thread is tracing with its captures."""
        if not are_arrays(values):
            with LOCK:
                values = self.values(leaves)
            if not are_arrays(values):
                return NotImplemented
        return values

    def refuse_shared(self, leaves: Sequence[object]) -> None:
        """Raise GraphError if a holder that is written to shares memory with another one."""
        if not self.written:
            return
        written = [g.of(leaves) for g in self.written]
        others = [g.of(leaves) for g in self.inside.given if not g.is_captured]
        if self.kind.are_sharing(written, [*others, *self.captured]):
            raise GraphError(
                f"{self.name} writes to arguments or captured tensors that share memory"
                "\n  hint: pass the tensor that the others are views of, and make the views inside"
            )


def has_history(x: Any) -> bool:
    """Whether a value was computed from holders that require gradients."""
    return is_holder(x) and not x.is_leaf


def number_in(mapping: Numbers, key: Hashable) -> np.ndarray:
    """A number in a dict of the caller, as an array."""
    return np.array(held(mapping[key]), np.float64)
