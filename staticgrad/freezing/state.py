"""The state of variables while a graph is frozen.

Note [State]. Assignments become data flow: an expression built after an assignment uses the
assigned value, one built before it the value at the start of the run, and the last value of each
variable becomes an output. So program order holds without being asked for, and the frozen graph is
pure. An expression of a gradient counts as built with the forward expression that caused it, so
that a rule reads the values that the forward expression read.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from gradops import GraphError

from ..ir.expr import Expr, Kind, whole_of
from ..ir.interning import Interning
from ..ir.reachability import by_age, dependencies, forward_dependencies, guarded_value, reachable
from .loop_widening import widest_forms


class StateResolver:
    """Copies expressions in program order, putting values where variables were read.

    Of an expression and its wider forms, only the widest is computed.
    """

    def __init__(
        self, feeds: Sequence[Expr], needed: Iterable[Expr], inner: bool = False,
        values: Mapping[Expr, np.ndarray] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.feeds, self.inner, self.values = set(feeds), inner, values
        self.intern = Interning()
        self.frozen: dict[Expr, Expr] = {}
        self.variables: dict[Expr, Expr] = {}
        self.assignments: dict[Expr, list[tuple[int, Expr]]] = {}
        self.wider = widest_forms(needed)
        frozen, fed, copy = self.frozen, self.feeds, self.intern.copy
        for e in sorted({**dict.fromkeys(feeds), **dict.fromkeys(needed)}, key=by_age):
            if e in frozen:
                continue
            if e.op is None or e.op.name == "part" or self.wider or self.assignments or e in fed:
                self.resolve(e)
            else:  # the common case of `resolve`, inlined
                frozen[e] = copy(e, tuple([frozen[x] for x in e.inputs]))

    def resolve(self, e: Expr) -> None:
        """Make the frozen counterpart of `e`, whose inputs have theirs."""
        if e.op is not None and e not in self.feeds:
            self.copy(e)
        elif e in self.feeds:
            kind = Kind.PARAMETER if self.inner else Kind.PLACEHOLDER
            leaf = Expr(kind, e.type, e.name, None, place=e.place)
            self.frozen[e] = self.intern.copy(leaf, ())
        elif e.kind is Kind.ASSIGN:
            variable, value = e.inputs
            if variable in self.values:
                raise GraphError(f"{variable.label} has a value to be frozen, and is assigned")
            self.frozen[e] = self.value_at(value, build_time(e))
            if self.inner or variable not in self.feeds:
                self.assignments.setdefault(variable, []).append((e.number, self.frozen[e]))
        elif e.kind is Kind.TOKEN or e in self.values:
            value = self.values.get(e, e.value)
            leaf = Expr(Kind.CONSTANT, e.type, e.name, None, value=value, place=e.place)
            self.frozen[e] = self.intern.copy(leaf, ())
        elif e.kind is not Kind.GROUP:
            self.frozen[e] = made = self.intern.copy(e, ())
            if e.kind is Kind.VARIABLE:
                self.variables[e] = made

    def copy(self, e: Expr) -> None:
        """Copy what is computed, or its wider form."""
        if not self.inner and (value := guarded_value(e)) is not None:
            self.frozen[e] = self.value_at(value, build_time(e))
            return
        if not self.wider:
            self.frozen[e] = self.intern.copy(e, self.operands(e))
            return
        if e in self.wider:
            wide, _ = self.wider[e]
            self.resolve_before(wide)
            self.frozen[e] = made = self.frozen[wide]
            made.name, made.place, made.origin = e.name, e.place, e.origin
            return
        self.frozen[e] = self.intern.copy(self.part_of_widest(e), self.operands(e))

    def operands(self, e: Expr) -> tuple[Expr, ...]:
        """The frozen operands of `e`, with the values that variables have when it reads them."""
        if not self.assignments:
            return tuple(map(self.frozen.__getitem__, e.inputs))
        time = build_time(e)
        return tuple([self.value_at(x, time) for x in e.inputs])

    def resolve_before(self, e: Expr) -> None:
        """Make the counterparts of `e` and of what it needs, ahead of program order."""
        inputs = dependencies if self.inner else forward_dependencies
        for x in sorted(reachable([e], self.frozen, inputs), key=by_age):
            if x not in self.frozen:
                self.resolve(x)

    def part_of_widest(self, e: Expr) -> Expr:
        """`e`, or if it is a part of an expression with a wider form, that form's part."""
        whole = whole_of(e)
        if whole is None or whole not in self.wider:
            return e
        return e._replace(attrs={"index": self.wider[whole][1][e.attrs["index"]]})

    def value_at(self, x: Expr, time: int) -> Expr:
        """The frozen value of operand `x` in an expression built at `time`."""
        for assigned_at, value in reversed(self.assignments.get(x, ())):
            if assigned_at < time:
                return value
        return self.frozen[x]

    def final_value(self, e: Expr) -> Expr:
        """The frozen value of a fetch: of a variable, the value that it has in the end."""
        return self.assignments[e][-1][1] if e in self.assignments else self.frozen[e]

    def effects(self) -> list[Expr]:
        """Checks and prints, which are run though no result needs them."""
        return [values[-1][1] for v, values in self.assignments.items() if v.kind is Kind.TOKEN]


def build_time(e: Expr) -> int:
    """The number of an expression; of one in a gradient, the number of its cause."""
    while e.origin is not None:
        e = e.origin
    return e.number
