"""Each operation of a function, with its type in the graph and its value on the tape.

The function runs once on each. The operations of both are matched in order, as both modes call the
same ops, and derive gradients by the same rules.
"""

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Literal

import numpy as np

from gradops.core.source_location import Place, describe, short
from gradops.inspection.previews import statistics_of

from ..ir.expr import Expr
from ..runtime.backends.interpreter import interpret
from .subject import Subject
from .ways import AsWritten

WHOLE = 8  # entries of an array that is shown
Phase = Literal["forward", "gradient"]
PHASES: tuple[Phase, Phase] = ("forward", "gradient")


@dataclass(frozen=True)
class Step:
    """An operation: what each mode knew when the line ran, and what the graph computes later.

    `graph` is the name and the type of the expression that was built, `tape` the value that was
    computed, `later` the value in a run of the graph. Empty where a mode has no such operation.
    """

    phase: Phase
    line: str
    op: str
    graph: str = ""
    tape: str = ""
    later: str = ""


def steps_of(subject: Subject) -> list[Step]:
    """The steps of a function, forward and then those of its gradient.

    Empty for a mode that cannot run it.
    """
    with np.errstate(all="ignore"):
        tape = steps_if_it_runs(steps_on_tape, subject)
        graph = steps_if_it_runs(steps_in_graph, subject)
    result: list[Step] = []
    for phase in PHASES:
        here, there = ([s for s in steps if s.phase == phase] for steps in (graph, tape))
        result += match_steps(here, there)
    return result


def steps_if_it_runs(steps: Any, subject: Subject) -> list[Step]:
    """The steps in one mode; none where the program fails there, which the table says."""
    try:
        found: list[Step] = steps(subject)
    except Exception:
        return []
    return found


def steps_on_tape(subject: Subject) -> list[Step]:
    """The operations that ran, with their values."""
    from .tape import observe

    phases = observe(subject)
    return [
        Step(phase, line_of(each.place) if phase == "forward" else "", str(each.op),
             tape=text_of(each.value))
        for phase, operations in zip(PHASES, phases, strict=True)
        for each in operations
    ]  # fmt: skip


def steps_in_graph(subject: Subject) -> list[Step]:
    """The expressions that were built, with their types, and values of a run."""
    way = AsWritten(subject)
    values: dict[Expr, Any] = {}
    interpret(way.graph, way.feeds, values.__setitem__)
    built = [e for e in way.graph.order if e.op is not None]
    return [step_of(e, values[e]) for e in sorted(built, key=is_derived)]


def is_derived(e: Expr) -> bool:
    """True for an expression of a gradient."""
    return e.origin is not None


def step_of(e: Expr, value: Any) -> Step:
    """The step of an expression."""
    phase: Phase = "gradient" if is_derived(e) else "forward"
    return Step(
        phase,
        line_of(e.place),
        e.what,
        graph=e.label.removeprefix("gradients/"),
        later=text_of(value),
    )


def line_of(place: Place | None) -> str:
    """The user's line, `model.py:12: y = x @ w`."""
    text = describe(place).partition(": ")[2]
    return f"{short(place)}: {text}" if text else short(place)


def text_of(value: Any) -> str:
    """A small array in a few digits; what a larger one is like."""
    x = np.asarray(value)
    if x.size > WHOLE and (found := statistics_of(x)) is not None:
        return f"mean {found.mean:.4g}, from {found.low:.4g} to {found.high:.4g}"
    return " ".join(np.array2string(x, precision=4, threshold=WHOLE).split())


def match_steps(graph: list[Step], tape: list[Step]) -> list[Step]:
    """The steps of both modes in order, those with equal ops together."""
    names = [[s.op for s in steps] for steps in (graph, tape)]
    result: list[Step] = []
    for kind, i, i_end, j, j_end in SequenceMatcher(
        None, names[0], names[1], autojunk=False
    ).get_opcodes():
        if kind == "equal":
            pairs = zip(graph[i:i_end], tape[j:j_end], strict=True)
            result += [replace(g, tape=t.tape, line=t.line or g.line) for g, t in pairs]
        else:
            result += [*graph[i:i_end], *tape[j:j_end]]
    return result
