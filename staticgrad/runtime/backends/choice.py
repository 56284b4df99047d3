"""The backends: what runs a graph, and the choice among them."""

import sys
import warnings
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gradops.core.errors import OptionError
from gradops.core.interpreters import is_main_interpreter

from ...ir.expr import Kind
from ...ir.graph import FrozenGraph, all_expressions
from ...ir.tuple_types import TupleType
from ...passes.levels import Level, pipeline_for
from ...passes.pipeline import Pipeline
from ...transform.sizing import is_sized
from ..executable import Executable

DEFAULT: ContextVar[str] = ContextVar("default_backend", default="numpy")
HINT = "backend='numpy' runs every graph"


def executable_for(
    backend: str | None, graph: FrozenGraph, pipeline: Pipeline, form: str = "{},",
    rebuild: Any = None, checked: bool = False,
) -> Executable:  # fmt: skip
    """The executable of a backend, or of the default one; raises OptionError if there is none."""
    return BACKENDS[require_backend("compile", backend)](graph, pipeline, form, rebuild, checked)


class Compiler(NamedTuple):
    """How graphs are compiled: a level of optimization and a backend."""

    optimize: Level = 2
    backend: str | None = None

    def __call__(self, graph: FrozenGraph) -> Executable:
        return executable_for(self.backend, graph, pipeline_for(self.optimize))


def set_default_backend(backend: str) -> None:
    """Set what runs the graphs that are compiled from now on, where no `backend=` says it.

    It holds in this thread, and in what copies its context, as tasks of asyncio do. It is "numpy"
    at first; "auto" is machine code where that is possible and pays, with the extra `native`.
    Raises OptionError for a backend that there is not.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> sg.set_default_backend("interpreter")
    >>> sg.compile(x + 1, [x])
    <Executable (x: float32[3]) -> float32[3]>
    >>> sg.set_default_backend("numpy")
    """
    DEFAULT.set(require_backend("set_default_backend", backend))


def require_backend(caller: str, backend: str | None) -> str:
    """The name of a backend, of None the default; raises OptionError for one that there is not."""
    if backend is None:
        return DEFAULT.get()
    if backend not in BACKENDS:
        names = ", ".join(map(repr, BACKENDS))
        raise OptionError(caller, [], f"backend is one of {names}, not {backend!r}")
    return backend


def by_numpy(
    graph: FrozenGraph, pipeline: Pipeline, form: str, rebuild: Any, checked: bool
) -> Executable:
    """A graph as generated NumPy code."""
    return Executable(graph, pipeline, form, rebuild, check_numerics=checked)


def by_interpreter(
    graph: FrozenGraph, pipeline: Pipeline, form: str, rebuild: Any, checked: bool
) -> Executable:
    """A graph that is run node by node."""
    from .interpreted import InterpretedExecutable

    return InterpretedExecutable(graph, pipeline, form, rebuild, check_numerics=checked)


def by_machine_code(
    graph: FrozenGraph, pipeline: Pipeline, form: str, rebuild: Any, checked: bool
) -> Executable:
    """A graph as machine code; raises OptionError if there is none."""
    if not is_known_here():
        raise refusal("it is for the main interpreter of CPython with its lock, on Linux and macOS")
    if not is_installed():
        raise refusal("it needs llvmlite, and a BLAS", "pip install 'staticgrad[native]'")
    from gradops.native.ir.scalars import NotNative

    from .native_executable import DirectExecutable, NativeExecutable

    if checked and not notices_infinities(graph):
        return by_numpy(graph, pipeline, form, rebuild, checked)
    try:
        if not is_sized(graph):
            from .native_for_sizes import NativeForSizes

            return NativeForSizes(graph, pipeline, form, rebuild, checked)
        if rebuild is None:
            return DirectExecutable(graph, pipeline, form, checked)
        return NativeExecutable(graph, pipeline, form, rebuild, checked)
    except NotNative as error:
        raise refusal(str(error)) from error
    except (ImportError, OSError) as error:
        raise refusal(f"llvmlite does not load: {error}") from error


def by_the_best(
    graph: FrozenGraph, pipeline: Pipeline, form: str, rebuild: Any, checked: bool
) -> Executable:
    """A graph as machine code where that is possible and pays, and no promise of bits forbids it.

    See Note [Predictions] in `native/planning/predictions.py`.
    """
    if not (pipeline.bound and not checked and is_known_here() and is_installed()):
        return by_numpy(graph, pipeline, form, rebuild, checked)
    if not is_sized(graph):
        return by_the_best_for_sizes(graph, pipeline, form, rebuild)
    from ...native.planning.predictions import NUMPY, tier_for
    from .native_bodies import with_native_bodies

    tier, on_numpy = tier_for(graph), with_native_bodies(graph, pipeline, by_machine_code)
    try:
        if tier.way == NUMPY:
            result = by_numpy(graph, on_numpy, form, rebuild, checked)
        else:
            result = by_machine_code(graph, pipeline, form, rebuild, checked)
    except (OptionError, MemoryError) as error:
        warn_of_mistakes(error)
        return by_numpy(graph, on_numpy, form, rebuild, checked)
    result.tier = tier
    return result


def by_the_best_for_sizes(
    graph: FrozenGraph, pipeline: Pipeline, form: str, rebuild: Any
) -> Executable:
    """A graph of unknown sizes: what runs it is chosen for each of those it is run with."""
    from .native_for_sizes import NativeForSizes

    result = NativeForSizes(graph, pipeline, form, rebuild)
    result.decides = True
    return result


def warn_of_mistakes(error: Exception) -> None:
    """Warn that NumPy runs a graph of which machine code is wrong, rather than not there."""
    from gradops.native.runtime.machine import Refused

    if isinstance(error.__cause__, Refused):
        warnings.warn(f"NumPy runs a graph instead of machine code: {error}", stacklevel=2)


def notices_infinities(graph: FrozenGraph) -> bool:
    """True if machine code notices all values of a graph that are not finite, as NumPy's does.

    It computes no complex numbers and no half precision, and runs no print again.
    """
    from ..checking.numerics import is_pure

    each = all_expressions(graph)
    floats = [e for e in each if e.dtype.kind in "fc" and not isinstance(e.type, TupleType)]
    known = [e.value for e in floats if e.kind is Kind.CONSTANT and e.origin is None]
    is_computed = {e.dtype.str for e in floats} <= {"<f4", "<f8"}
    return is_computed and is_pure(graph) and all(np.isfinite(x).all() for x in known)


def refusal(reason: str, hint: str = HINT) -> OptionError:
    """The error for a graph that the native backend cannot run."""
    return OptionError("compile", [], f"backend='native' cannot run this: {reason}", hint)


def is_installed() -> bool:
    """True if the packages of the native tier are there."""
    from gradops.native.runtime.blas import is_of_numpy

    has_blas = is_of_numpy() or find_spec("scipy") is not None
    return has_blas and find_spec("llvmlite") is not None


def is_known_here() -> bool:
    """True where objects have the headers that the code reads: CPython with its lock, 64 bits.

    And in its first interpreter: see `is_main_interpreter`.
    """
    has_lock = "t" not in getattr(sys, "abiflags", "")  # t: free-threaded
    known = sys.implementation.name == "cpython" and sys.platform != "win32"
    return known and has_lock and sys.maxsize > 1 << 32 and is_main_interpreter()


BACKENDS: Mapping[str, Callable[..., Executable]] = MappingProxyType({
    "auto": by_the_best, "numpy": by_numpy, "native": by_machine_code,
    "interpreter": by_interpreter,
})  # fmt: skip
