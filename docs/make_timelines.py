"""Draws the pictures of time and memory for docs/how-to/profile-a-graph.md."""

from pathlib import Path

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn
from gradops.inspection.timeline.memory import MemoryTimeline

PICTURES = Path(__file__).parent / "how-to" / "pictures"
ROWS, WIDTH, LAYERS = 1024, 128, 4


def of_graph() -> MemoryTimeline:
    """The timeline of a perceptron and its gradients as a graph."""
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["batch", WIDTH], name="x")
        labels = sg.placeholder("int64", ["batch"], name="labels")
        h = x
        for i in range(LAYERS):
            h = sg.layers.dense(h, WIDTH, activation=sg.tanh, name=f"layer{i}")
        loss = sg.cross_entropy(sg.layers.dense(h, 10, name="head"), labels)
        fetches = [loss, *sg.gradients(loss, sg.trainable_variables())]
        data, classes = np.zeros((ROWS, WIDTH), np.float32), np.zeros(ROWS, np.int64)
        return sg.Session().timeline(fetches, {x: data, labels: classes})


def of_tape() -> MemoryTimeline:
    """The timeline of the same perceptron on the tape."""
    model = nn.Sequential()
    for _ in range(LAYERS):
        model.append(nn.Linear(WIDTH, WIDTH))
        model.append(nn.Tanh())
    model.append(nn.Linear(WIDTH, 10))
    data, labels = dg.zeros(ROWS, WIDTH), dg.zeros(ROWS, dtype=dg.int64)
    return dg.timeline(lambda: nn.functional.cross_entropy(model(data), labels))


class Encoder(nn.Module):
    """Two transformer blocks and a loss."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            [nn.TransformerEncoderLayer(64, 4, 256, 0.0, batch_first=True) for _ in range(2)]
        )

    def forward(self, x: dg.Tensor) -> dg.Tensor:
        """The mean square of the last block's output."""
        for block in self.blocks:
            x = block(x)
        return (x**2).mean()


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    of_tape().save(PICTURES / "timeline.svg", of_graph())
    model, data = Encoder(), dg.randn(8, 64, 64)
    dg.profile(model, data, repeat=20).flame(PICTURES / "flame.svg")
    print(f"written: {PICTURES}")


if __name__ == "__main__":
    main()
