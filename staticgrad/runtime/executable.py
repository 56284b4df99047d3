"""The executable: a compiled graph, called with values."""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import FeedError, GradError, OptionError
from gradops.core.op import explain
from gradops.core.traits import Trait
from gradops.kernels.heap import keep_freed_memory

from ..build.collector import collector_paused
from ..build.suggest import nearest
from ..export.methods import add_display, add_formats
from ..freezing.freezer import unknown_feed
from ..ir.errors import require_all
from ..ir.graph import FrozenGraph, meets_singularities
from ..passes.levels import Level, pipeline_for
from ..passes.pipeline import Optimized, PassReport, Pipeline, difference
from ..passes.scalars import FloatScalars, MathScalars
from .feeds import as_feed

if TYPE_CHECKING:
    from gradops.inspection.timeline.memory import MemoryTimeline
    from gradops.inspection.timeline.profile import Profile

    from ..codegen.source import Source
    from ..native.planning.choices import Choice, Choices
    from .checking.accuracy import CodeReport
    from .memory_report import MemoryReport


class Executable:
    """A compiled graph. Calling it with values, in the order of its inputs or by name, runs it.

    `source` is the Python function it runs, `graph` the frozen graph it was made from: `written`
    after optimisation. It may be called from many threads at once. Results share no memory with
    anything it keeps. With `verify`, `verification` says how exact they were.
    """

    def __init__(
        self, written: FrozenGraph, optimize: Level | Pipeline = 2, form: str = "{},",
        rebuild: Callable[[Any], Any] | None = None, any_layout: bool = False,
        check_numerics: bool = False,
    ) -> None:  # fmt: skip
        keep_freed_memory()
        self.tier: Choice | None = None
        self.verification: CodeReport | None = None
        self.written, self.rebuild = written, rebuild
        self.form, self.any_layout = form, any_layout
        self.check_numerics = check_numerics
        self.pipeline = pipeline_for(optimize)
        self.optimized = Optimized(written, self.pipeline)
        with collector_paused():
            self.run = self.compiled(self.optimized)
        self.silent = self.must_be_silent()
        self.names = [e.name for e in written.inputs]
        self.count = len(self.names)

    def __reduce__(self) -> tuple[Any, ...]:  # copies are compiled anew: code is no data
        known = {"tier": self.tier, "verification": self.verification}
        return type(self), self._arguments, known

    @property
    def _arguments(self) -> tuple[Any, ...]:
        """What the constructor was given."""
        kept = self.form, self.rebuild, self.any_layout, self.check_numerics
        return self.written, self.pipeline, *kept

    @property
    def graph(self) -> FrozenGraph:
        """The graph after all passes."""
        return self.optimized.graph()

    @property
    def pass_reports(self) -> tuple[PassReport, ...]:
        """A report of each pass."""
        return self.optimized.results[1]

    def must_be_silent(self) -> bool:
        """True if the code may warn of singular points, of which nobody needs a warning."""
        return meets_singularities(self.graph)

    @property
    def choices(self) -> "Choices":
        """The choices of the cost table among several ways to compute something, and why.

        >>> x = sg.placeholder("float32", [3], name="x")
        >>> print(sg.compile(x + 1, [x]).choices)
        nothing was to choose
        """
        from ..native.planning.choices import Choices

        return Choices([] if self.tier is None else [self.tier])

    @property
    def bound(self) -> float:
        """How far results may be from those of the graph as written, in rounding errors."""
        return self.pipeline.bound

    @property
    def source(self) -> str:
        """The generated function, as text."""
        return self.emitted.text

    @cached_property
    def emitted(self) -> "Source":
        """The source with comments, and the facts about its lines, written when asked for."""
        from ..codegen.source import emit

        return emit(self.graph, self.form, self.any_layout)

    @property
    def report(self) -> "MemoryReport":
        """The memory of a run: the plan, its peak, and bounds, for the sizes run last.

        >>> x = sg.placeholder("float32", [1000, 100], name="x")
        >>> print(sg.compile(sg.reduce_sum(sg.tanh(x) * sg.exp(x)), [x]).report)
        predicted peak 0.80 MB; at least 0.80 MB are in use at once
        arena 0.80 MB, of which 0.80 MB are in use at once; 1.20 MB unshared; results 4 bytes
         bytes    place  in use  type                values
        400000  ...
        """
        from .memory_report import current_report

        return current_report(self)

    @property
    def ir(self) -> str:
        """The graph in LLVM's language; raises AttributeError unless it is machine code."""
        raise AttributeError(str(no_machine_code(self, "ir")))

    @property
    def assembly(self) -> str:
        """The instructions of the machine; raises AttributeError unless it is machine code."""
        raise AttributeError(str(no_machine_code(self, "assembly")))

    def save_object(
        self, path: str | os.PathLike[str], name: str | None = None, *, blas: str | None = None,
        cpu: str | None = None,
    ) -> None:  # fmt: skip
        """Write the graph as an object file for C programs, and a header beside it.

        Machine code has one: this raises OptionError unless the backend is "native".
        """
        raise no_machine_code(self, "save_object")

    def compiled(self, optimized: Optimized) -> Callable[..., Any]:
        """The function that runs a graph, in this executable's form."""
        from .generated import code_of  # which machine code does without

        graph = optimized.graph()
        return code_of(graph, self.written, self.form, self.any_layout, self.check_numerics)

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        if named or len(args) != self.count:
            args = self.bind(args, named)
        try:  # `attempt`, inlined
            result = self.run_silently(args) if self.silent else self.run(*args)
        except Exception as error:
            if not self.may_run_on_arrays(error):
                raise
            result = self.on_arrays.attempt(args)
        if result is NotImplemented:
            return self.run_converted(args)
        return result if self.rebuild is None else self.rebuild(result)

    def attempt(self, args: Sequence[Any]) -> Any:
        """The results before they are arranged; NotImplemented if arguments need converting."""
        try:
            return self.run_silently(args) if self.silent else self.run(*args)
        except Exception as error:
            if not self.may_run_on_arrays(error):
                raise
            return self.on_arrays.attempt(args)

    def run_silently(self, args: Sequence[Any]) -> Any:
        """The results of the generated code, without warnings of singular points."""
        with np.errstate(all="ignore"):
            return self.run(*args)

    def may_run_on_arrays(self, error: Exception) -> bool:
        """True for an error of floats, which arrays do not raise; another one is blamed."""
        if self.graph.lowering and is_of_floats(error):
            return True
        self.blame(error)
        return False

    def run_converted(self, args: Sequence[Any]) -> Any:
        """Run with values that are not all C-ordered arrays of the inputs' types.

        Raises FeedError for one that cannot be made such an array. Its layout is kept.
        """
        arrays = [as_feed(e, a) for e, a in zip(self.graph.inputs, args, strict=True)]
        if all(a.ndim < 2 or a.flags.c_contiguous for a in arrays):
            return self(*arrays)
        return self.for_any_layout(*arrays)

    @cached_property
    def on_arrays(self) -> "Executable":
        """The executable for values on which floats raise. See Note [Float scalars]."""
        pipeline = self.pipeline.without(FloatScalars, MathScalars)
        return Executable(self.written, pipeline, self.form, check_numerics=self.check_numerics)

    @cached_property
    def for_any_layout(self) -> "Executable":
        """The executable for other layouts: see Note [Layout] in `ir/layouts/contiguity.py`."""
        return Executable(self.written, 0, self.form, self.rebuild, True, self.check_numerics)

    def diff(self, name: str | None = None) -> str:
        """The change of the graph by the pass called `name`, or by each pass, as unified diffs.

        Raises OptionError for a name that no pass of the pipeline has.
        """
        names = dict.fromkeys(step.name for step in self.pipeline.passes)
        if name is not None and name not in names:
            near = nearest(str(name), names)
            raise OptionError("diff", [], f"no pass called {name!r} was run{near}")
        changes = [
            difference(before, after, report.name)
            for before, after, report in self.pipeline.steps(self.written)
            if before is not after and name in (None, report.name)
        ]
        return "\n".join(filter(None, changes))

    def profile(self, feeds: Any = (), repeat: int = 10) -> "Profile":
        """Where a run spends its time: by node, by scope, by line, and inside loops and branches.

        `feeds` are values of the inputs, in their order or by name. The code is run `2 * repeat`
        times and more, with its effects. Raises FeedError.

        >>> x = sg.placeholder("float64", [64, 64], name="x")
        >>> profile = sg.compile(sg.reduce_sum(x @ x), [x]).profile([np.ones((64, 64))])
        >>> sorted((row.op, row.flops) for row in profile.rows if row.op)
        [('matmul', 524288), ('sum', 4096)]
        """
        from .profile import profiled

        return profiled(self, feeds, repeat)

    def timeline(self, feeds: Any = ()) -> "MemoryTimeline":
        """The memory of a run by step: what is alive when, by the plan, and what at the peak.

        `feeds` are values of the inputs, in their order or by name; they are needed for their sizes
        only. Without them unknown sizes are those run last. `save` writes a picture.

        >>> x = sg.placeholder("float64", [100, 100], name="x")
        >>> y = sg.reduce_sum(sg.tanh(x @ x))
        >>> timeline = sg.compile([y, *sg.gradients(y, x)], [x]).timeline()
        >>> timeline.peak, timeline.steps[timeline.peak_step].backward
        (240008, True)
        """
        from .timeline import timeline_of

        return timeline_of(self, feeds)

    def inspect(
        self, path: str | os.PathLike[str], feeds: Any = None, *, title: str = "executable",
        ir: bool = False, assembly: bool = False, beside: Any = None,
    ) -> None:  # fmt: skip
        """Write one HTML page: the graph after each pass, the code, times and memory.

        With `feeds`, values of the inputs, a run is profiled for the page. `ir` and `assembly` add
        those of machine code. `beside` is a tensor of dynamicgrad, or a graph, to show beside. The
        page needs no network. The documentation shows such pages: *Read a graph*.

        >>> x = sg.placeholder("float32", [3], name="x")
        >>> f = sg.compile(sg.reduce_sum(x * x), [x])
        >>> f.inspect("energy.html", [np.ones(3, np.float32)])
        """
        from .pages import inspect_executable

        inspect_executable(self, path, feeds, title=title, ir=ir, assembly=assembly, beside=beside)

    def __graph_view__(self) -> Any:
        """The picture's model of the graph after all passes."""
        from ..export.view import graph_view

        return graph_view(self.graph, "executable")

    def bind(self, args: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """The values of all inputs, in order, from those given by place and by name."""
        inputs = self.graph.inputs
        if not named or len(args) > len(inputs):
            require_all(inputs, len(args))
        given = dict(zip(self.names, args, strict=False))
        for name in named:
            if name not in self.names:
                raise unknown_feed(name, self.names)
            if name in given:
                raise FeedError(f"{name!r} is fed twice, by its place and by its name")
        given |= named
        fed = sorted(inputs, key=lambda e: e.name not in given)
        require_all(fed, len(given))
        return tuple(given[name] for name in self.names)

    def blame(self, error: Exception) -> None:
        """Add a note to an error of the generated code: the expression and the user's line.

        If type inference knows the reason, its error is raised, as it is everywhere else.
        """
        from .backends.interpreter import concrete
        from .checking.numerics import Checked

        if isinstance(self.run, Checked):
            return
        trace = innermost(error, self.run.__code__.co_filename)
        e = self.emitted.owners[trace.tb_lineno - 1] if trace is not None else None
        if trace is None or e is None or e.op is None:
            return
        note = self.graph.blame(e)
        error.add_note(note)
        if Trait.CONTROL in e.op.traits:
            return
        values = {**self.emitted.scope, **trace.tb_frame.f_locals}
        sizes = {n: values[name] for n, name in self.emitted.sizes.items() if name in values}
        try:
            attrs = {k: concrete(v, sizes) for k, v in e.attrs.items()}
            explain(e.op, [values[self.emitted.names[x]] for x in e.inputs], attrs, error)
        except GradError as better:
            for each in error.__notes__:
                better.add_note(each)
            raise better from error

    def __repr__(self) -> str:
        inputs = ", ".join(e.label for e in self.graph.inputs)
        return f"<Executable ({inputs}) -> {', '.join(str(e.type) for e in self.graph.outputs)}>"


add_formats(Executable)
add_display(Executable, "executable_mimebundle")


def is_of_floats(error: Exception) -> bool:
    """True for an error of Python's floats, where NumPy gives an infinity or NaN."""
    return isinstance(error, ArithmeticError | ValueError) and not isinstance(error, GradError)


def innermost(error: Exception, filename: str) -> TracebackType | None:
    """The last entry of an error's traceback whose code is of a file."""
    result, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            result = trace
        trace = trace.tb_next
    return result


def no_machine_code(executable: Executable, name: str) -> OptionError:
    """The error for what machine code alone has."""
    hint = "compile the graph with backend='native'"
    return OptionError(name, [], f"{executable!r} is not machine code", hint)
