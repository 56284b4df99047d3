"""The parser, errors and streams of all commands.

The exit status is 0 if all is well, 1 if graphs differ or a check fails, and 2 if the command
cannot be carried out: a file is missing or malformed, or feeds do not fit.
"""

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gradops import GradError

COMMANDS = (
    "inspect", "show", "run", "diff", "check", "export", "import", "compare", "bench", "costs",
    "prepare", "plan", "doctor",
)  # fmt: skip
MODULES = {"import": "importing"}  # where the module has another name than the command
FINE, DIFFERS, WRONG_USE = 0, 1, 2

DESCRIPTION = """\
Look at frozen graphs, run, check, compare and convert them. MODEL is a file that staticgrad.save()
wrote, the text of a graph, or an ONNX model; - stands for the standard input or output."""
STATUS = "exit status: 0 all is well; 1 something differs, or a check fails; 2 wrong use or input"


class CommandError(Exception):
    """A command that cannot be carried out; the message is shown on one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command, and return its exit status."""
    options = parser().parse_args(arguments)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  None if it is closed
    try:
        status = int(options.command(options))
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # as `head` closes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except KeyboardInterrupt:
        return 128 + 2  # as shells report it
    except (CommandError, GradError, OSError, ValueError, TypeError, MemoryError) as error:
        print(f"python -m staticgrad {options.name}: {one_line(error)}", file=sys.stderr)
        return WRONG_USE
    except Exception:  # of a user's script; 1 would say that something differs
        traceback.print_exc()
        return WRONG_USE


def parser(prog: str = "python -m staticgrad") -> argparse.ArgumentParser:
    """The parser of all commands."""
    form = argparse.RawDescriptionHelpFormatter
    examples = "\n".join(f"  {prog} {line}" for line in OVERVIEW)
    result = argparse.ArgumentParser(
        prog, description=DESCRIPTION, epilog=f"examples:\n{examples}\n\n{STATUS}",
        formatter_class=form,
    )  # fmt: skip
    commands = result.add_subparsers(required=True, metavar="COMMAND", dest="name")
    for name in COMMANDS:
        module = importlib.import_module(f".{MODULES.get(name, name)}", __package__)
        summary, _, more = module.command.__doc__.partition("\n\n")
        shown = "\n".join(f"  {prog} {name} {line}" for line in module.EXAMPLES)
        each = commands.add_parser(
            name, help=first_lower(summary), description="\n\n".join([summary, dedented(more)]),
            epilog=f"examples:\n{shown}", formatter_class=form,
        )  # fmt: skip
        module.add_arguments(each)
        each.set_defaults(command=module.command)
    return result


OVERVIEW = (
    "show model.sg", "inspect model.sg -o model.html", "run model.sg x=x.npy -o out.npz",
    "diff old.sg new.sg", "compare script.py:loss x=float64[50]",
)  # fmt: skip


def first_lower(text: str) -> str:
    """A sentence as a phrase."""
    return text[0].lower() + text[1:].rstrip(".")


def dedented(text: str) -> str:
    """A docstring's paragraphs without indentation."""
    return "\n".join(line.removeprefix("    ") for line in text.rstrip().splitlines())


def one_line(error: BaseException) -> str:
    """The message of an error on one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    lines = [line.strip() for line in str(error).splitlines()]
    return "; ".join(filter(None, lines)).replace(":; ", ": ") or type(error).__name__


@contextmanager
def progress(text: str) -> Iterator[None]:
    """Show what is being done while a person watches, and remove it afterwards."""
    watched = sys.stderr.isatty()
    if watched:
        print(f"{text} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if watched:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write_text(text: str, path: str | None) -> None:
    """Write text to a file, or to the standard output for None and `-`."""
    text = text if text.endswith("\n") else text + "\n"
    if path in (None, "-"):
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        with open(str(path), "w", encoding="utf-8") as file:
            file.write(text)


def add_model(parser: argparse.ArgumentParser, name: str = "model") -> None:
    """Add the argument for a graph."""
    parser.add_argument(name, metavar=name.upper(), help="a saved graph, its text, or -")


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option for the file to write."""
    parser.add_argument("-o", "--output", metavar="FILE", help=f"write {what} here")


def add_part(parser: argparse.ArgumentParser) -> None:
    """Add the option for a side of a graph with gradients."""
    parser.add_argument(
        "--part", choices=["forward", "backward", "both"], default="both",
        help="one side of a graph with gradients; updates belong to the backward",
    )  # fmt: skip
