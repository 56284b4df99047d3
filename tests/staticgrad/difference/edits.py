"""Random graphs, and random edits of them."""

import random
from dataclasses import dataclass, field, replace

import numpy as np

import staticgrad as sg

UNARY = ["tanh", "sin", "cos", "exp", "negative", "square", "sigmoid", "sinh", "arctan"]
BINARY = ["add", "multiply", "maximum", "subtract", "arctan2"]
FUNCTIONS = {name: getattr(np, name, None) or getattr(sg, name) for name in UNARY + BINARY}


@dataclass
class Node:
    """A node of a program: an op and operands, or a constant."""

    op: str
    inputs: list[int] = field(default_factory=list)
    value: float = 0.0
    name: str | None = None


def random_program(rng, size):
    """Nodes that are all different; the first three are inputs."""
    nodes = {i: Node("input", name=f"x{i}") for i in range(3)}
    seen = set()
    while len(nodes) < size:
        i = len(nodes)
        kind = rng.random()
        if kind < 0.1:
            node = Node("constant", value=rng.random())
        elif kind < 0.55:
            node = Node(rng.choice(UNARY), [near(rng, i)])
        else:
            node = Node(rng.choice(BINARY), [near(rng, i), near(rng, i)])
        if node.op in ("constant", *BINARY) and len(set(node.inputs)) == 1:
            continue
        if node.op == "constant" or (node.op, *node.inputs) not in seen:
            seen.add((node.op, *node.inputs))
            nodes[i] = node
    used = {x for n in nodes.values() for x in n.inputs}
    return nodes, [i for i in nodes if i not in used]


def near(rng, i):
    """An earlier node, often one of the last."""
    return rng.choice([rng.randrange(i), rng.randrange(max(0, i - 9), i)])


def frozen(nodes, outputs, order=None):
    """The program as a frozen graph."""
    with sg.Graph().as_default():
        made, feeds = {}, []
        for i in order or nodes:
            n = nodes[i]
            if n.op == "input":
                made[i] = sg.placeholder("float64", [4], name=n.name)
                feeds.append(made[i])
            elif n.op == "constant":
                made[i] = sg.constant(np.full(4, n.value))
            else:
                made[i] = FUNCTIONS[n.op](*[made[x] for x in n.inputs])
        return sg.freeze([made[i] for i in outputs], feeds)


def edited(rng, nodes, outputs, count):
    """The program after random edits at places that are not neighbours of each other's nodes."""
    nodes = {i: replace(n, inputs=list(n.inputs)) for i, n in nodes.items()}
    order, outputs = list(nodes), list(outputs)
    touched, done = set(), []
    kinds = [change_op, change_constant, insert, remove, rewire]
    while len(done) < count:
        kind = rng.choice(kinds)
        if kind(rng, nodes, outputs, order, touched):
            done.append(kind.__name__)
    return nodes, outputs, order, done


def pick(rng, nodes, touched, test):
    found = [i for i, n in nodes.items() if i not in touched and test(i, n)]
    return rng.choice(found) if found else None


def change_op(rng, nodes, outputs, order, touched):
    i = pick(rng, nodes, touched, lambda i, n: n.op in UNARY + BINARY)
    family = UNARY if nodes[i].op in UNARY else BINARY
    nodes[i].op = rng.choice([op for op in family if op != nodes[i].op])
    touched.add(i)
    return True


def change_constant(rng, nodes, outputs, order, touched):
    i = pick(rng, nodes, touched, lambda i, n: n.op == "constant")
    if i is None:
        return False
    nodes[i].value += 1
    touched.add(i)
    return True


def insert(rng, nodes, outputs, order, touched):
    i = pick(rng, nodes, touched, lambda i, n: n.inputs)
    at = rng.randrange(len(nodes[i].inputs))
    source = nodes[i].inputs[at]
    if source in touched:
        return False
    new = max(nodes) + 1
    nodes[new] = Node(rng.choice([op for op in UNARY if op not in (nodes[source].op, nodes[i].op)]),
                      [source])  # fmt: skip
    nodes[i].inputs[at] = new
    order.insert(order.index(i), new)
    touched |= {new, i, source}
    return True


def remove(rng, nodes, outputs, order, touched):
    i = pick(rng, nodes, touched, lambda i, n: n.op in UNARY and n.inputs[0] not in touched)
    source = nodes[i].inputs[0]
    readers = [r for r, n in nodes.items() if i in n.inputs]
    if any(r in touched or source in nodes[r].inputs for r in readers) or source in outputs:
        return False
    for r in readers:
        nodes[r].inputs = [source if x == i else x for x in nodes[r].inputs]
    outputs[:] = [source if x == i else x for x in outputs]
    del nodes[i]
    order.remove(i)
    touched |= {i, source, *readers}
    return True


def rewire(rng, nodes, outputs, order, touched):
    i = pick(rng, nodes, touched, lambda i, n: n.op in BINARY)
    at = rng.randrange(2)
    old = nodes[i].inputs[at]
    others = sum(old in n.inputs for r, n in nodes.items() if r != i) + (old in outputs)
    place = order.index(i)
    new = rng.choice(order[:place])
    if not others or new in nodes[i].inputs or new in touched or old in touched:
        return False
    nodes[i].inputs[at] = new
    touched |= {i, old}
    return True


def random_pair(seed, size=1000, count=20):
    """Two graphs and the edits between them, without expressions that became equal."""
    rng = random.Random(seed)
    while True:
        nodes, outputs = random_program(rng, size)
        a = frozen(nodes, outputs)
        new, new_outputs, order, done = edited(rng, nodes, outputs, count)
        b = frozen(new, new_outputs, order)
        if len(a) == len(nodes) and len(b) == len(new):
            return a, b, done
