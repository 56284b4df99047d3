"""Executables of the native tier."""

import os
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.graph import FrozenGraph
from ...native.output.entry import Signature
from ...native.output.keys import key_of, key_of_passes
from ...native.output.native_code import NativeCode
from ...native.planning.choices import Choices
from ...native.shapes import SMALL_MATRIX
from ...passes.fusion.elementwise import FuseElementwise
from ...passes.levels import pipeline_for
from ...passes.pairs import ComputePairs
from ...passes.pipeline import Optimized, Pipeline
from ...passes.products.inverses import InvertFactors
from ...passes.products.log_products import MultiplyLogs
from ...passes.scalars import FloatScalars, MathScalars
from ..executable import Executable
from ..feeds import as_feed

if TYPE_CHECKING:
    from gradops.inspection.timeline.profile import Profile


FOR_NUMPY = ComputePairs, FloatScalars, FuseElementwise, MathScalars, MultiplyLogs
"""Passes that save calls of NumPy, of which native code has none."""
BOUND = 64.0  # rounding errors of functions, and of sums in another order


class NativeExecutable(Executable):
    """A graph compiled to machine code. NumPy's code stands in where that gives up.

    `ir` and `assembly` are the code as LLVM and the assembler write it. `source`, `report` and
    `profile` are of the same graph in NumPy. With `check_numerics` the code gives up at values that
    are not finite, and NumPy's code names the first.
    """

    def __init__(
        self, written: FrozenGraph, optimize: Any = 2, form: str = "{},",
        rebuild: Callable[[Any], Any] | None = None, check_numerics: bool = False,
    ) -> None:  # fmt: skip
        self.optimize, pipeline = optimize, for_native(pipeline_for(optimize))
        super().__init__(written, pipeline, form, rebuild, check_numerics=check_numerics)

    def compiled(self, optimized: Optimized) -> Callable[..., Any]:
        """The machine code, which may have been kept on disk: then no pass is run."""
        passes = key_of_passes(self.pipeline)
        graph = optimized.graph() if passes is None else self.written
        signature = Signature(self.written, self.form)
        key = key_of(graph, self.form, passes, self.check_numerics)
        self.native = NativeCode(optimized.graph, signature, key, self.check_numerics)
        return self.native.run

    def must_be_silent(self) -> bool:
        return False

    @property
    def ir(self) -> str:
        """The graph in LLVM's language, with the user's lines as comments."""
        return self.native.ir

    @property
    def assembly(self) -> str:
        """The instructions of the machine, with the user's lines as comments."""
        return self.native.assembly

    @property
    def choices(self) -> Choices:
        return Choices([*super().choices, *self.native.choices])

    def save_object(
        self, path: str | os.PathLike[str], name: str | None = None, *, blas: str | None = None,
        cpu: str | None = None,
    ) -> None:  # fmt: skip
        """Write the graph as an object file, which C programs link without Python, and a header.

        The header lies beside it, as `model.h` beside `model.o`, and says how the function `name`,
        by default that of the file, is called: with arrays for inputs, results, and memory to work
        in. Products of matrices are in the object, or with `blas="lp64"` or `"ilp64"` calls of a
        BLAS with integers of 32 or 64 bits. The code is for the processor of this machine, or for
        those that are at least a `cpu`, such as `"x86-64-v3"`. Raises OptionError for a graph with
        an op that has no machine code.
        """
        self.write_object(self.native, path, name, blas, cpu)

    def write_object(
        self, code: NativeCode, path: str | os.PathLike[str], name: str | None, blas: str | None,
        cpu: str | None,
    ) -> None:  # fmt: skip
        """Write the object file of some code. See `save_object`."""
        from ...native.output.c_header import save

        save(code.graph, path, name, blas, cpu)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.written, self.optimize, self.form, self.rebuild, self.check_numerics

    @property
    def bound(self) -> float:
        return self.pipeline.bound + BOUND

    def profile(self, feeds: Any = (), repeat: int = 10) -> "Profile":
        from ..profile import profiled_by_numpy

        return profiled_by_numpy(self, feeds, repeat)

    @cached_property
    def by_numpy(self) -> Executable:
        """The executable for values on which machine code gives up: NumPy raises, or computes."""
        checked = self.check_numerics
        return Executable(self.written, self.optimize, self.form, self.rebuild, False, checked)

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        result = NotImplemented if named else self.run(*args)  # the code counts its operands
        if result is NotImplemented:
            return self.run_otherwise(args, named)
        return result if self.rebuild is None else self.rebuild(result)

    def run_otherwise(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Run with values that are given by name, or are not such arrays as the code reads."""
        if named or len(args) != self.count:
            return self(*self.bind(args, named))
        return self.run_converted(args)

    def attempt(self, args: Sequence[Any]) -> Any:
        result = self.run(*args)
        return self.by_numpy.attempt(args) if result is NotImplemented else result

    def may_run_on_arrays(self, error: Exception) -> bool:
        return False

    def run_converted(self, args: Sequence[Any]) -> Any:
        """Run with values that are not all C-ordered arrays of the inputs' types."""
        arrays = [as_feed(e, a) for e, a in zip(self.written.inputs, args, strict=True)]
        result = self.run(*[np.require(a, requirements=["C", "A"]) for a in arrays])
        if result is NotImplemented:
            return self.by_numpy(*arrays)
        return result if self.rebuild is None else self.rebuild(result)


class DirectExecutable(NativeExecutable):
    """An executable that Python calls as a builtin function: its results are those of the code."""

    __slots__ = ("__call__",)

    def __init__(
        self, written: FrozenGraph, optimize: Any = 2, form: str = "{},",
        check_numerics: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(written, optimize, form, None, check_numerics)
        this = weakref.ref(self)

        def otherwise(*args: Any, **named: Any) -> Any:
            executable = this()
            assert executable is not None, "who calls it keeps it"
            return executable.run_otherwise(args, named)

        self.__call__ = self.native.called(otherwise)  # type: ignore[method-assign]

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.written, self.optimize, self.form, self.check_numerics


def for_native(pipeline: Pipeline) -> Pipeline:
    """The passes that machine code is worth: it solves small equations itself."""
    steps = pipeline.without(*FOR_NUMPY).passes
    few = InvertFactors(least=SMALL_MATRIX + 1)
    return replace(
        pipeline, passes=tuple([few if isinstance(p, InvertFactors) else p for p in steps])
    )
