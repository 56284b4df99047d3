"""Random programs with hooks, modes, writes and several backwards: what is seen is PyTorch's."""

import contextlib

import numpy as np
import pytest

import dynamicgrad as dg

NEW = {
    "add": lambda t, x, y: x + y, "mul": lambda t, x, y: x * y, "sin": lambda t, x, y: x.sin(),
    "exp": lambda t, x, y: (x * 0.1).exp(), "relu": lambda t, x, y: x.relu(),
    "sign": lambda t, x, y: x.sign() * x, "slice": lambda t, x, y: x[1:],
    "select": lambda t, x, y: x[0], "reshape": lambda t, x, y: x.reshape(-1),
    "unfold": lambda t, x, y: x.unfold(0, 2, 2), "chunk": lambda t, x, y: x.chunk(2)[0],
    "unbind": lambda t, x, y: x.unbind(0)[1], "rows": lambda t, x, y: next(iter(x)),
    "tensor_split": lambda t, x, y: x.tensor_split(2)[1], "clone": lambda t, x, y: x.clone(),
    "detach": lambda t, x, y: x.detach(), "sum": lambda t, x, y: x.sum(0),
    "cat": lambda t, x, y: t.cat([x, y]), "square": lambda t, x, y: x * x,
    "leaky_relu": lambda t, x, y: t.nn.functional.leaky_relu(x),
    "where": lambda t, x, y: t.where(x > 0, x, y), "index": lambda t, x, y: x[[0, 1]],
}  # fmt: skip
IN_PLACE = {
    "mul_": lambda t, x, y: x.mul_(1.5), "add_": lambda t, x, y: x.add_(y),
    "mul_by_": lambda t, x, y: x.mul_(y), "copy_": lambda t, x, y: x.copy_(y),
    "zero_": lambda t, x, y: x.zero_(), "fill": lambda t, x, y: x.__setitem__(0, 2.0),
    "set": lambda t, x, y: x.__setitem__(0, y[0]), "sin_": lambda t, x, y: x.sin_(),
}  # fmt: skip
HOOKS = ["tensor", "double", "accumulated", "node", "before node", "retain_grad", "requires_grad_"]
BACKWARDS = ["retain", "square", "recorded", "recorded square", "grad", "to a leaf", "free"]
STEPS = {"new": list(NEW), "in place": list(IN_PLACE), "hook": HOOKS, "backward": BACKWARDS}
MODES = ["", "", "", "", "", "no_grad", "inference_mode", "enable_grad"]
SHAPES = [(4,), (2, 2), (4, 2), (2, 3)]
MEANT = [  # departures, which the page "Coming from PyTorch" lists
    "single memory location", "second time", "cannot be saved for backward", "is at version",
    "its base or another view of its base", "Inplace update to inference tensor",
]  # fmt: skip


def entries(x):
    return None if x is None else np.round(np.asarray(x.detach(), float), 5).tolist()


class Run:
    """A program as it runs in a library: its values, and what its hooks have seen."""

    def __init__(self, t, arrays):
        self.t, self.seen, self.nodes = t, [], []
        self.leaves = [t.tensor(a, requires_grad=i < 2) for i, a in enumerate(arrays)]
        a, b, c = self.leaves
        self.values = [a * 1, b * 1, c, a, b]

    def step(self, kind, name, i, j, mode):
        """Run a statement; the error that it raises, if any."""
        x, y = self.values[i], self.values[j]
        try:
            with getattr(self.t, mode)() if mode else contextlib.nullcontext():
                if kind == "new":
                    self.values.append(NEW[name](self.t, x, y))
                elif kind == "in place":
                    IN_PLACE[name](self.t, x, y)
                else:
                    (self.hook if kind == "hook" else self.backward)(name, x)
        except Exception as error:
            return error
        return None

    def note(self, name, *gradients):
        self.seen.append((name, self.t.is_grad_enabled(), [entries(g) for g in gradients]))

    def hook(self, name, x):
        """Register a hook, or let a tensor retain or require gradients."""
        if name == "tensor":
            x.register_hook(lambda g: self.note(name, g))
        elif name == "double":
            x.register_hook(lambda g: self.note(name, g) or g * 2)
        elif name == "accumulated":
            x.register_post_accumulate_grad_hook(lambda p: self.note(name, p.grad))
        elif "node" in name:
            node = x.grad_fn if x.grad_fn is not None else (x * 1).grad_fn.next_functions[0][0]
            self.nodes.append(node)  # PyTorch lets go of the nodes of leaves, and of their hooks
            if name == "node":
                node.register_hook(lambda before, after: self.note(name, *after))
            else:
                node.register_prehook(lambda after: self.note(name, *after))
        else:
            getattr(x, name)()

    def backward(self, name, x):
        """Run a backward, or ask for gradients."""
        loss = (x * x).sum() if "square" in name else x.sum()
        options = {"retain_graph": True, "allow_unused": True}
        if "recorded" in name:
            options["create_graph"] = True
            found = self.t.autograd.grad(loss, self.leaves[:2], **options)
            self.values.extend(g.clone() for g in found if g is not None)
            self.note(name, *found)
        elif name == "grad":
            self.note(name, *self.t.autograd.grad(loss, [x, self.leaves[0]], **options))
        elif name == "to a leaf":
            loss.backward(inputs=self.leaves[:1], retain_graph=True)
        else:
            loss.backward(retain_graph=name != "free")

    def state(self):
        """All that a program can see of its values, and of the gradients they have."""
        found = [(entries(x), x.requires_grad, x.is_inference()) for x in self.values]
        grads = [entries(x.grad) for x in self.leaves]
        grads += [entries(x.grad) for x in self.values if not x.is_leaf and x.retains_grad]
        return found, grads, self.seen


def chosen(rng, n):
    """The number of a value, of the late ones more often."""
    return int(n - 1 - min(rng.geometric(0.35) - 1, n - 1))


def is_apart(x):
    """Whether `x` is a view of PyTorch's that is meant to be another here.

    One says it requires gradients, but none flows through it; of another, a part whose base was
    written, PyTorch does not tell anything.
    """
    try:
        return x.requires_grad and x.is_leaf and x._is_view() and x.grad_fn is None
    except RuntimeError:
        return True


def compare(torch, rng):
    """Run a random program in both libraries, statement by statement, up to the first error."""
    arrays = [np.round(rng.normal(size=SHAPES[rng.integers(4)]), 2)] * 3
    arrays = [a + i / 8 for i, a in enumerate(arrays)]
    theirs, ours, program = Run(torch, arrays), Run(dg, arrays), []
    for _ in range(int(rng.integers(5, 14))):
        kind = str(rng.choice(list(STEPS), p=[0.45, 0.2, 0.17, 0.18]))
        i, j = (chosen(rng, len(theirs.values)) for _ in "ij")
        mode = str(rng.choice(MODES)) if kind in ("new", "in place") else ""
        program.append((kind, str(rng.choice(STEPS[kind])), i, j, mode))
        want, got = theirs.step(*program[-1]), ours.step(*program[-1])
        if any(text in f"{want} {got}" for text in MEANT):
            return
        assert (want is None) == (got is None), (program, want, got)
        if want is not None or any(map(is_apart, theirs.values)):
            return
        assert ours.state() == theirs.state(), program


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.filterwarnings("ignore")
def test_random_programs_with_hooks_and_modes(seed):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    rng = np.random.default_rng(seed)
    for _ in range(30):
        compare(torch, rng)
