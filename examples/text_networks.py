"""An LSTM and a transformer language model on a small almanac, each on a tape and as a graph.

Both modes start with the same weights, and their losses are equal to the bit. Quality is measured
in bits per character on the last tenth of `data/almanac.txt`, which is not used for training.
A run takes a minute or two on two cores, and ends with a text sampled from the network.

    python examples/text_networks.py lstm
    python examples/text_networks.py transformer
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn
from gradops.inspection.progress import Progress
from gradops.nn import causal

TEXT = Path(__file__).parent / "data" / "almanac.txt"
LENGTH, BATCH, WIDTH, HEADS, RATE = 64, 32, 96, 4, 3e-3


class Data(NamedTuple):
    """The text as character numbers, split into training and test text."""

    letters: list[str]
    seen: Any
    held_out: Any


def read() -> Data:
    """Split the text."""
    text = TEXT.read_text()
    letters = sorted(set(text))
    numbers = np.array([letters.index(c) for c in text])
    cut = len(numbers) * 9 // 10
    return Data(letters, numbers[:cut], numbers[cut:])


class LSTM(nn.Module):
    """A character-level LSTM: scores of the next character for each position of a row."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(letters, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, letters)

    def forward(self, rows: Any) -> Any:
        """The scores, of shape (rows, positions, characters)."""
        return self.head(self.lstm(self.embed(rows))[0])


def lstm(rows: Any, letters: int) -> Any:
    """The LSTM as a graph."""
    x = sg.layers.embedding(rows, letters, WIDTH, name="embed")
    return sg.layers.linear(sg.layers.lstm(x, WIDTH, name="lstm")[0], letters, name="head")


class Transformer(nn.Module):
    """A character-level transformer with causal attention."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(letters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        options = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
        self.first = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, **options)
        self.second = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, **options)
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, letters)

    def forward(self, rows: Any) -> Any:
        """The scores, of shape (rows, positions, characters)."""
        mask = dg.from_numpy(causal(rows.shape[1]))
        x = self.embed(rows) + self.place(dg.arange(rows.shape[1]))
        return self.head(self.norm(self.second(self.first(x, mask), mask)))


def transformer(rows: Any, letters: int) -> Any:
    """The transformer as a graph."""
    x = sg.layers.embedding(rows, letters, WIDTH, name="embed")
    x = x + sg.layers.embedding(np.arange(LENGTH), LENGTH, WIDTH, name="place")
    for name in ("first", "second"):
        x = sg.layers.transformer_encoder_layer(
            x, HEADS, 4 * WIDTH, 0.0, sg.nn.gelu, norm_first=True, masks=[causal(LENGTH)], name=name
        )
    return sg.layers.linear(sg.layers.layer_norm(x, name="norm"), letters, name="head")


class Model(NamedTuple):
    """A network in both modes, its number of steps, and the bits per character to reach."""

    module: Callable[[int], Any]
    scores: Callable[[Any, int], Any]
    steps: int
    reached: float


MODELS = {
    "lstm": Model(LSTM, lstm, 700, 0.6),
    "transformer": Model(Transformer, transformer, 500, 0.65),
}


def rows_of(numbers: Any, starts: Any) -> tuple[Any, Any]:
    """Rows of the text, and the next character for each position."""
    rows = numbers[np.asarray(starts)[:, None] + np.arange(LENGTH + 1)]
    return rows[:, :-1].copy(), rows[:, 1:].copy()


def batches(data: Data, steps: int) -> list[tuple[Any, Any]]:
    """The rows of every step, equal in both modes."""
    rng = np.random.default_rng(0)
    last = len(data.seen) - LENGTH - 1
    return [rows_of(data.seen, rng.integers(0, last, BATCH)) for _ in range(steps)]


def held_out(data: Data) -> tuple[Any, Any]:
    """The test text, in rows."""
    return rows_of(data.held_out, np.arange(0, len(data.held_out) - LENGTH, LENGTH))


def on_tape(net: nn.Module, data: Data, steps: int) -> tuple[list[float], float]:
    """The losses of all steps, and the final bits per character."""
    optimizer = dg.optim.Adam(net.parameters(), lr=RATE)

    def loss_of(rows: Any, wanted: Any) -> Any:
        scores = net(dg.from_numpy(rows)).reshape(-1, len(data.letters))
        return nn.functional.cross_entropy(scores, dg.from_numpy(wanted).reshape(-1))

    losses = []
    with Progress(steps, "tape") as shown:
        for rows, wanted in batches(data, steps):
            optimizer.zero_grad()
            loss = loss_of(rows, wanted)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            shown.update(loss=losses[-1])
    with dg.no_grad():
        return losses, loss_of(*held_out(data)).item() / math.log(2)


def in_graph(
    scores_of: Callable[[Any, int], Any], start: dict[str, Any], data: Data, steps: int
) -> tuple[list[float], float]:
    """The losses and bits per character of a graph with the initial weights `start`, by name."""
    count = len(data.letters)
    with sg.Graph().as_default():
        rows = sg.placeholder("int64", ["rows", LENGTH], name="rows")
        wanted = sg.placeholder("int64", ["rows", LENGTH], name="wanted")
        scores = sg.reshape(scores_of(rows, count), [-1, count])
        loss = sg.cross_entropy(scores, sg.reshape(wanted, [-1]))
        train = sg.train.AdamOptimizer(RATE, epsilon_hat=False).minimize(loss)
        session = sg.Session(optimize=1)  # of which the bits are those of the tape
        session.restore({name.replace(".", "/"): value for name, value in start.items()})
        step = session.make_callable([loss, train], [rows, wanted])
        losses = []
        with Progress(steps, "graph") as shown:
            for batch in batches(data, steps):
                losses.append(float(step(*batch)[0]))
                shown.update(loss=losses[-1])
        seen, after = held_out(data)
        return losses, float(session.run(loss, {rows: seen, wanted: after})) / math.log(2)


def written(net: nn.Module, data: Data, start: str, count: int) -> str:
    """`start` and a continuation sampled from the network."""
    numbers, rng = [data.letters.index(c) for c in start], np.random.default_rng(0)
    with dg.no_grad():
        for _ in range(count):
            scores = net(dg.tensor([numbers[-LENGTH:]]))[0, -1]
            p = nn.functional.softmax(scores.double(), dim=0).numpy()
            numbers.append(int(rng.choice(len(p), p=p)))
    return "".join(data.letters[n] for n in numbers)


def begin(name: str) -> tuple[nn.Module, Data]:
    """An untrained network, and the text."""
    dg.manual_seed(0)
    data = read()
    return MODELS[name].module(len(data.letters)), data


def run(
    name: str, net: nn.Module, data: Data, steps: int | None = None
) -> dict[str, tuple[list[float], float]]:
    """The network trained in both modes: losses, and bits per character on the test text."""
    steps = steps or MODELS[name].steps
    start = {key: value.numpy().copy() for key, value in net.state_dict().items()}
    return {
        "tape": on_tape(net, data, steps),
        "graph": in_graph(MODELS[name].scores, start, data, steps),
    }


def main() -> None:
    """Train a network in both modes, and check its quality."""
    name = sys.argv[1] if len(sys.argv) > 1 else "lstm"
    if name not in MODELS:
        sys.exit(f"{name} is none of {', '.join(MODELS)}")
    net, data = begin(name)
    results = run(name, net, data)
    for mode, (losses, bits) in results.items():
        print(f"{mode:<5}  {losses[0] / math.log(2):.2f} bits per character at first,"
              f" {bits:.3f} on the text that is held out")  # fmt: skip
    assert results["tape"] == results["graph"], "the two modes differ"
    assert results["tape"][1] < MODELS[name].reached, "the network has not learnt enough"
    print(f"the {len(results['tape'][0])} losses are equal to the bit: yes")
    print(f"\n{written(net, data, 'the ', 300)}")


if __name__ == "__main__":
    main()
