"""The network of characters.py as a graph: a scan over the letters, differentiated and compiled.

The loop is one node of the graph, whatever the length of the rows; its gradient is another. The
network writes with the same graph, fed one letter at a time. It begins with other random weights
than the one of characters.py, so its figures differ; two_ways.py compares bits.

    python examples/characters_graph.py
"""

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import staticgrad as sg

TEXT = Path(__file__).parent / "data" / "lighthouse.txt"
LENGTH, BATCH, HIDDEN = 32, 16, 96


class Network(NamedTuple):
    """A session, and what can be fetched and fed."""

    session: sg.Session
    letters: list[str]
    seen: Any
    wanted: Any
    start: Any
    scores: Any
    last: Any
    bits: Any
    train: Any


def read() -> tuple[Any, list[str]]:
    """The text as numbers of characters, and the characters."""
    text = " ".join(TEXT.read_text().split())
    letters = sorted(set(text))
    return np.array([letters.index(c) for c in text]), letters


def build(letters: list[str], seed: int) -> Network:
    """The graph, its gradients and its update. Steps come first in the shapes, then the rows."""
    count = len(letters)
    with sg.Graph("characters").as_default():
        sg.set_random_seed(seed)
        seen = sg.placeholder("int64", ["steps", "rows"], name="seen")
        wanted = sg.placeholder("int64", ["steps", "rows"], name="wanted")
        start = sg.placeholder("float32", ["rows", HIDDEN], name="start")
        glorot = sg.initializers.glorot_uniform()
        again = sg.Variable(glorot((HIDDEN, HIDDEN)), name="again")
        inputs = sg.layers.dense(sg.one_hot(seen, count, dtype="float32"), HIDDEN, name="embed")
        states = sg.scan(lambda state, x: sg.tanh(x + state @ again), inputs, start)
        scores = sg.layers.dense(states, count, name="head")
        rows = sg.reshape(scores, [-1, count])
        loss = sg.cross_entropy(rows, sg.reshape(wanted, [-1]))
        optimizer = sg.train.AdamOptimizer(4e-3)
        grads, variables = zip(*optimizer.compute_gradients(loss), strict=True)
        clipped, _ = sg.clip_by_global_norm(grads, 1.0)
        train = optimizer.apply_gradients(zip(clipped, variables, strict=True))
        bits = loss / math.log(2)
        session = sg.Session()
        return Network(session, letters, seen, wanted, start, scores, states[-1], bits, train)


def batches(numbers: Any, rng: Any) -> tuple[Any, Any]:
    """Columns of the text, and the letters that come after each."""
    starts = rng.integers(0, len(numbers) - LENGTH - 1, BATCH)
    columns = numbers[starts + np.arange(LENGTH + 1)[:, None]]
    return columns[:-1], columns[1:]


def train(steps: int = 300, seed: int = 0) -> tuple[Network, list[float]]:
    """A trained network, and the bits per character of every step."""
    numbers, letters = read()
    net, rng = build(letters, seed), np.random.default_rng(seed)
    zeros = np.zeros((BATCH, HIDDEN), np.float32)
    step = net.session.make_callable([net.bits, net.train], [net.seen, net.wanted, net.start])
    return net, [float(step(*batches(numbers, rng), zeros)[0]) for _ in range(steps)]


def continued(net: Network, start: str, length: int = 120) -> str:
    """What the network writes after `start`, always the likeliest letter."""
    state, text, fresh = np.zeros((1, HIDDEN), np.float32), start, start
    write = net.session.make_callable([net.scores, net.last], [net.seen, net.start])
    for _ in range(length):
        column = np.array([[net.letters.index(c)] for c in fresh])
        scores, state = write(column, state)
        fresh = net.letters[int(scores[-1, 0].argmax())]
        text += fresh
    return text


def main() -> None:
    """Train, and let the network write."""
    net, bits = train()
    for step in range(0, len(bits), 50):
        print(f"step {step:4}: {bits[step]:.2f} bits per character")
    print(f"last step: {bits[-1]:.2f} bits per character\n")
    print(continued(net, "the keeper "))


if __name__ == "__main__":
    main()
