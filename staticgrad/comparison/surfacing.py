"""Where mistakes surface in each mode, found by running programs that make them."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradops import type_of
from gradops.core.tracer_protocol import held, holding

from ..ir.graph import FrozenGraph
from ..runtime.compilation import compile
from .failures import Failure, failure_of
from .mistakes import PROGRAMS, function_of
from .subject import Subject, is_operand, subject_of
from .ways import OnNumPy, graph_of

MODES = ("NumPy", "tape", "graph")


@dataclass(frozen=True)
class Surfacing:
    """The outcome of a mistake in each mode: an error with its stage, or what went on instead.

    `source` is the program, `outcomes` are in the order of `MODES`.
    """

    title: str
    source: str
    outcomes: tuple[Failure | str, Failure | str, Failure | str]


def all_surfacings(subject: Subject) -> list[Surfacing]:
    """The outcomes of small programs, and of the compared function with changed arguments."""
    return [*small_programs(), *changed_arguments(subject)]


def small_programs() -> Iterator[Surfacing]:
    """The mistakes of the small programs."""
    for i, program in enumerate(PROGRAMS):
        subject = subject_of(function_of(i), program.args, None)
        yield surfacing(program.title, program.source, subject, program.title)


def changed_arguments(subject: Subject) -> Iterator[Surfacing]:
    """Mistakes that the compared function meets: arguments of other shapes, NaN, two backwards."""
    for title, change, kind in (
        ("one entry more in {}", longer, "A shape error"),
        ("a NaN in {}", with_nan, "A NaN"),
        ("backward, twice, by {}", lambda x: x, "A second backward"),
    ):
        for i in subject.active:
            changed = change(np.asarray(held(subject.leaves[i])))
            if changed is not None:
                text = f"{subject.name}: {title.format(subject.labels[i])}"
                yield surfacing(text, "", with_leaf(subject, i, changed), kind)
                break


def longer(x: np.ndarray) -> np.ndarray | None:
    """An array with one entry more along its last axis; None for a number."""
    return np.concatenate([x, x[..., -1:]], -1) if x.ndim and x.size else None


def with_nan(x: np.ndarray) -> np.ndarray | None:
    """An array with a NaN; None for an empty one."""
    if not x.size:
        return None
    x = x.copy()
    x.reshape(-1)[0] = np.nan
    return x


def with_leaf(subject: Subject, i: int, x: np.ndarray) -> Subject:
    """The subject with another array for a leaf."""
    leaves = [holding(y, x) if k == i else y for k, y in enumerate(subject.leaves)]
    return replace(subject, args=subject.arguments(leaves))


def surfacing(title: str, source: str, subject: Subject, kind: str) -> Surfacing:
    """Run a program in each mode, and collect the outcomes."""
    runs = on_numpy, TAPE.get(kind, on_tape), GRAPH.get(kind, in_graph)
    with np.errstate(all="ignore"):
        outcomes = [run(subject) for run in runs]
    return Surfacing(title, source, (outcomes[0], outcomes[1], outcomes[2]))


def on_numpy(subject: Subject) -> Failure | str:
    """The outcome with plain NumPy, warnings included."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        way = OnNumPy(subject)
        found = run_stages([("as the line runs", lambda: way.run())])
    shown = found if isinstance(found, Failure) else f"no error: the value is {short_text(found)}"
    if isinstance(shown, str) and caught:
        shown += f"; a warning as the line runs: {caught[0].message}"
    return shown


def on_tape(subject: Subject) -> Failure | str:
    """The outcome on the tape: of forward, and then of backward."""
    from .tape import OnTape, backward

    way, kept = OnTape(subject), []
    found = run_stages([
        ("as the line runs", lambda: kept.append(way.forward())),
        ("in backward", lambda: backward(kept[0])),
    ])  # fmt: skip
    return found if isinstance(found, Failure) else f"no error: {gradient_text(found)}"


def on_tape_checked(subject: Subject) -> Failure | str:
    """The outcome on the tape without checks, and with `detect_anomaly`."""
    from .tape import run_checked

    silent = on_tape(subject)
    found = run_stages([("as the line runs, in detect_anomaly(check_forward=True)",
                     lambda: run_checked(subject))])  # fmt: skip
    return replace(found, before=str(silent)) if isinstance(found, Failure) else silent


def backward_twice(subject: Subject) -> Failure | str:
    """The outcome of a second call of `backward`."""
    from .tape import second_backward

    found = run_stages([("in the second backward", lambda: second_backward(subject))])
    return (
        found if isinstance(found, Failure) else "no error: rules that read nothing may run again"
    )


def in_graph(subject: Subject) -> Failure | str:
    """The outcome for a graph: when it is built, compiled, and run."""
    kept: list[Any] = []
    found = run_stages([
        ("while the graph is built, before any value", lambda: kept.append(graph_of(subject))),
        ("when it runs", lambda: results_of(kept[0][0], subject)),
    ])  # fmt: skip
    return found if isinstance(found, Failure) else f"no error: {gradient_text(found)}"


def in_graph_checked(subject: Subject) -> Failure | str:
    """The outcome for a graph without checks, and with `check_numerics`."""
    silent = in_graph(subject)
    found = run_stages([("when it runs, with check_numerics=True",
                     lambda: results_of(graph_of(subject)[0], subject, True))])  # fmt: skip
    return replace(found, before=str(silent)) if isinstance(found, Failure) else silent


def run_twice(subject: Subject) -> Failure | str:
    """The outcome of a second run of a graph with its gradient."""
    found = run_stages([("when it runs again", lambda: twice(subject))])
    return found if isinstance(found, Failure) else "no error: a graph may run as often as you like"


def twice(subject: Subject) -> Any:
    """The results of the second run."""
    graph = graph_of(subject)[0]
    return [results_of(graph, subject) for _ in range(2)][1]


TAPE = {"A NaN": on_tape_checked, "A second backward": backward_twice}
GRAPH = {"A NaN": in_graph_checked, "A second backward": run_twice}
"""How the modes are run for mistakes that need more than a call."""


def results_of(graph: FrozenGraph, subject: Subject, check_numerics: bool = False) -> Any:
    """The results of a graph."""
    feeds = [x for x in subject.arrays() if is_operand(x)]
    run = compile(graph, optimize=0, check_numerics=check_numerics, backend="numpy")
    return run(*[np.asarray(x) for x in feeds])


def run_stages(stages: list[tuple[str, Callable[[], Any]]]) -> Any:
    """The result of the last of several steps, or the failure of the first that fails."""
    result = None
    for stage, step in stages:
        try:
            result = step()
        except Exception as error:  # it is what is looked for
            return failure_of(error, stage)
    return result


def gradient_text(results: Any) -> str:
    """The gradient among results: the last of them."""
    return f"the gradient is {short_text(results[-1])}"


def short_text(x: Any) -> str:
    """A small array as text; the type of a larger one."""
    x = np.asarray(held(x))
    return np.array2string(x, precision=4, threshold=8) if x.size <= 8 else str(type_of(x))
