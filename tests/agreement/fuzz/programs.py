"""Random programs: grown statement by statement beside what torch makes of them."""

import numpy as np

from . import values
from .holes import Filling, Scope
from .running import Run, Statement
from .shrinking import shrunk
from .templates import WEIGHTED
from .values import one_of

LARGE = 300  # entries, beyond which a program is not grown
SILENT = {"writes": 0.15, "entries": 0.1, "reductions": 0.1, "picking": 0.1, "views": 0.01}
"""How many of the statements run under no_grad, by their group."""
CARELESS = 0.02  # of the statements are of a template for other dtypes
PARTS = np.array([weight for weight, _ in WEIGHTED])


def grown(torch, seed, mixed=True, dtypes=None, length=14):
    """A random program, run in both libraries up to its end or the first disagreement."""
    rng = np.random.default_rng(seed)
    dtypes = dtypes or values.DTYPES
    if not mixed:
        dtypes = [values.dtype(rng, dtypes)]
    run = Run(torch)
    scope = Scope(rng, run.theirs.names, dtypes, mixed)
    for text in beginnings(rng, scope, dtypes):
        run.step(Statement(text))
    for _ in range(int(rng.integers(length // 3, length + 1))):
        if run.ended or too_large(scope):
            break
        run.step(statement(rng, scope))
    return run


def beginnings(rng, scope, dtypes):
    """The tensors a program begins with; what is made of the leaves may be written to."""
    sizes = values.shape(rng)
    for _ in range(int(rng.integers(2, 4))):
        name, dtype = scope.new(), values.dtype(rng, dtypes)
        sizes = sizes if rng.random() < 0.7 else values.shape(rng)
        floats = values.kind_of(dtype) in "fc"
        made = values.tensor(rng, dtype, sizes, floats and rng.random() < 0.7)
        yield f"{name} = {made}"
        if floats and rng.random() < 0.7:
            yield f"{scope.new()} = {name} * 1"


def too_large(scope):
    """Whether a tensor of the program has many entries."""
    return any(t.numel() > LARGE for t in scope.tensors().values())


def statement(rng, scope):
    """A statement of a template that suits a tensor of the program."""
    while True:
        x = scope.recent(scope.tensors())
        t = scope.names[x]
        table = WEIGHTED[int(rng.choice(len(PARTS), p=PARTS / PARTS.sum()))][1]
        template = one_of(rng, table)
        careless = template.group != "writes" and rng.random() < CARELESS
        if not suits(t, template.kinds) and not careless:
            continue
        text = Filling(scope, x).filled(template.text)
        if rng.random() < SILENT.get(template.group, 0):
            text = f"with lib.no_grad():\n    {text}"
        return Statement(text, template.strict)


def suits(t, kinds):
    """Whether a template for some kinds of dtypes is for a tensor."""
    kind = values.kind_of(str(t.dtype).removeprefix("torch."))
    return ("i" if kind == "u" else kind) in kinds


def disagreement_of(torch, seed):
    """The shortest form of a random program in which the two disagree, in words; None if none."""
    run = grown(torch, seed)
    if run.disagreement is None or run.departure is not None:
        return None
    short = shrunk(run)
    return f"program {seed}:\n{shown(short.statements)}\n{short.disagreement}"


def shown(statements):
    """A program to paste."""
    lines = ["import numpy as np", "import torch as lib  # or: import dynamicgrad as lib"]
    lines += ["seen = []", *(s.text for s in statements)]
    return "\n".join(lines)
