"""`compare`: a function of a script in every mode."""

import argparse
import inspect
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from ..comparison.compare import compare
from .command_line import DIFFERS, FINE, CommandError, add_output, progress, write_text
from .graphs import named_values

EXAMPLES = (
    "script.py:loss x=x.npy w=[0.5,-1]", "script.py:loss x=float64[1000] --html compare.html",
    "script.py:loss --wrt w   # the other parameters have defaults",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("function", metavar="SCRIPT:FUNCTION", help="script.py:loss")
    parser.add_argument(
        "values", metavar="NAME=VALUE", nargs="*", help="arguments, as feeds of run"
    )
    parser.add_argument("--wrt", action="append", help="differentiate by this argument; may repeat")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to measure; default 1")
    parser.add_argument("--html", metavar="FILE", help="write the page")
    add_output(parser, "the table")


def command(options: argparse.Namespace) -> int:
    """Run a function as plain NumPy, on the tape and as a graph, and print a table.

    The script is run as a module, so that what stands under `if __name__ == "__main__"` is not.
    Parameters without a value have their defaults. The exit status is 1 unless the tape and the
    graph as it was written both ran, and have the same bits.
    """
    function = function_of(options.function)
    args = arguments(function, named_values(options.values))
    with progress(f"comparing for {options.seconds:g} s"):
        found = compare(function, *args, wrt=options.wrt, seconds=options.seconds)
    if options.html:
        found.save(options.html)
    write_text(str(found), options.output)
    return FINE if found.is_exact else DIFFERS


def function_of(text: str) -> Callable[..., Any]:
    """The function that `script.py:name` names."""
    path, colon, name = text.rpartition(":")
    if not colon or not name:
        raise CommandError(f"{text!r} names no function: give script.py:function")
    if not Path(path).is_file():
        raise FileNotFoundError(2, "No such file or directory", path)
    spec = spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise CommandError(f"{path} is not a script of Python")
    module = module_from_spec(spec)
    with script_folder(Path(path)):
        spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not callable(found):
        names = [n for n, v in vars(module).items() if inspect.isfunction(v)]
        raise CommandError(f"{path} has no function {name!r}; it has {', '.join(names) or 'none'}")
    result: Callable[..., Any] = found
    return result


def script_folder(path: Path) -> Any:
    """A context in which modules beside a script can be imported, as when it is run."""
    import sys
    from contextlib import contextmanager

    @contextmanager
    def beside() -> Any:
        sys.path.insert(0, str(path.resolve().parent))
        try:
            yield
        finally:
            sys.path.remove(str(path.resolve().parent))

    return beside()


def arguments(function: Callable[..., Any], given: dict[str, Any]) -> Sequence[Any]:
    """The positional arguments: values that were given, else defaults."""
    parameters = inspect.signature(function).parameters
    for name in given:
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            raise CommandError(f"{name!r} is no parameter of the function; it has {known}")
    result = []
    for name, p in parameters.items():
        value = given.get(name, p.default)
        if value is p.empty:
            raise CommandError(f"{name} has no value: give {name}=FILE.npy, or {name}=float64[3]")
        result.append(np.asarray(value, np.float64) if is_list_of_numbers(value) else value)
    return result


def is_list_of_numbers(value: Any) -> bool:
    """True for a list from JSON whose entries are numbers, which is an array."""
    return isinstance(value, list) and np.asarray(value).dtype.kind in "if"
