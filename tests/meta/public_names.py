"""All public names with their signatures: `python -m tests.meta.public_names` writes the list.

The list says what users may count on, so that moving code changes nothing for them. A change of the
list is a change of the public interface and belongs in CHANGELOG.md.
"""

import importlib
import inspect
import re
from pathlib import Path

LIST = Path(__file__).with_suffix(".txt")
PACKAGES = ("gradops", "dynamicgrad", "staticgrad")
NAMESPACES = [
    "gradops", "gradops.array_api", "gradops.core.errors", "gradops.core.samples",
    "gradops.fft", "gradops.linalg", "gradops.nn", "gradops.nn.optimizer_updates",
    "gradops.random", "gradops.special", "gradops.testing", "dynamicgrad",
    "dynamicgrad.array_api", "dynamicgrad.autograd", "dynamicgrad.autograd.forward_ad",
    "dynamicgrad.autograd.functional", "dynamicgrad.autograd.graph", "dynamicgrad.cuda",
    "dynamicgrad.data", "dynamicgrad.fft", "dynamicgrad.func", "dynamicgrad.linalg",
    "dynamicgrad.nn", "dynamicgrad.nn.functional", "dynamicgrad.nn.init",
    "dynamicgrad.nn.utils", "dynamicgrad.optim", "dynamicgrad.optim.lr_scheduler",
    "dynamicgrad.random", "dynamicgrad.utils.tensorboard",
    "dynamicgrad.special", "staticgrad", "staticgrad.array_api", "staticgrad.distributed",
    "staticgrad.initializers", "staticgrad.layers", "staticgrad.linalg", "staticgrad.nn",
    "staticgrad.onnx",
    "staticgrad.random", "staticgrad.signal", "staticgrad.summary", "staticgrad.train",
]  # fmt: skip
"""The documented import paths."""

OPERATOR = re.compile(r"__(?!init__|new__|replace__|annotate)[a-z_]+__")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def namespace(path):
    """The module or object at a documented import path, reached as users reach it."""
    package, *names = path.split(".")
    found = importlib.import_module(package)
    for name in names:
        found = getattr(found, name, None) or importlib.import_module(f"{found.__name__}.{name}")
    return found


def signature(value):
    """How an object is called, without its annotations; empty for what is not called."""
    if not callable(value):
        return ""
    own = getattr(value, "signature", None)  # of an op, whose call takes anything
    if isinstance(own, str):
        return own[own.index("(") :]
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=plain, return_annotation=found.empty))
    return ADDRESS.sub("", text)


def lines_of(path, value, public):
    """A line for an object and, if it is a class, one for each public member that it adds."""
    yield path + signature(value)
    if inspect.isclass(value) and is_ours(value):
        for name, found in sorted(added(value, public).items()):
            yield f"{path}.{name}" + signature(getattr(found, "__func__", found))


def added(cls, public):
    """The public members of a class that no other public class gives it."""
    parts = [c for c in reversed(cls.__mro__) if is_ours(c) and (c is cls or c not in public)]
    members = {name: value for c in parts for name, value in vars(c).items()}
    return {name: value for name, value in members.items() if is_offered(name, value)}


def is_offered(name, value):
    """Whether users may call a member by its name, or by an operator."""
    return not name.startswith("_") or (OPERATOR.fullmatch(name) and inspect.isroutine(value))


def is_ours(cls):
    """Whether a class is one of the three packages'."""
    return cls.__module__.partition(".")[0] in PACKAGES


def objects():
    """Every public object by its dotted name; one that has several names has several lines."""
    for path in NAMESPACES:
        module = namespace(path)
        yield from ((f"{path}.{name}", getattr(module, name)) for name in sorted(module.__all__))


def lines():
    """The whole list; the members of a class stand under its first name."""
    found = list(objects())
    public = {value for _, value in found if inspect.isclass(value)}
    seen = set()
    for path, value in found:
        again = inspect.isclass(value) and value in seen
        yield from [path] if again else lines_of(path, value, public)
        if inspect.isclass(value):
            seen.add(value)


if __name__ == "__main__":
    LIST.write_text("\n".join(lines()) + "\n", encoding="utf-8")
