"""A recurrent network, written as a Python loop, that learns the letters of a small text.

Each step of the loop is recorded as it runs; backward goes through all of them. The text is
`data/lighthouse.txt`, and quality is measured in bits per character.

    python examples/characters.py
"""

import math
from pathlib import Path
from typing import Any

import numpy as np

import dynamicgrad as dg
from dynamicgrad import nn, optim

TEXT = Path(__file__).parent / "data" / "lighthouse.txt"
LENGTH, BATCH, HIDDEN = 32, 16, 96


def read() -> tuple[Any, list[str]]:
    """The text as numbers of characters, and the characters."""
    text = " ".join(TEXT.read_text().split())
    letters = sorted(set(text))
    return np.array([letters.index(c) for c in text]), letters


class Network(nn.Module):
    """Letters in, scores of the next letters out."""

    def __init__(self, letters: int, hidden: int) -> None:
        super().__init__()
        self.embed = nn.Linear(letters, hidden)
        self.again = nn.Linear(hidden, hidden, bias=False)
        self.head = nn.Linear(hidden, letters)

    def forward(self, seen: Any, state: Any) -> tuple[Any, Any]:
        """Scores for each place of the rows `seen`, and the state after the last."""
        scores = []
        for t in range(seen.shape[1]):
            state = dg.tanh(self.embed(seen[:, t]) + self.again(state))
            scores.append(self.head(state))
        return dg.stack(scores, dim=1), state


def batches(numbers: Any, rng: Any) -> tuple[Any, Any]:
    """Rows of the text, and the letters that come after each."""
    starts = rng.integers(0, len(numbers) - LENGTH - 1, BATCH)
    rows = numbers[starts[:, None] + np.arange(LENGTH + 1)]
    return rows[:, :-1], rows[:, 1:]


def one_hot(rows: Any, letters: int) -> Any:
    """A row of zeros with a one for each letter."""
    return dg.from_numpy(np.eye(letters, dtype=np.float32)[rows])


def train(steps: int = 300, seed: int = 0) -> tuple[Network, list[float]]:
    """A trained network, and the bits per character of every step."""
    dg.manual_seed(seed)
    numbers, letters = read()
    rng, count = np.random.default_rng(seed), len(letters)
    model = Network(count, HIDDEN)
    optimizer = optim.Adam(model.parameters(), lr=4e-3)
    bits = []
    for _ in range(steps):
        seen, wanted = batches(numbers, rng)
        scores, _ = model(one_hot(seen, count), dg.zeros(BATCH, HIDDEN))
        loss = nn.functional.cross_entropy(
            scores.reshape(-1, count), dg.from_numpy(wanted).reshape(-1)
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        bits.append(loss.item() / math.log(2))
    return model, bits


@dg.no_grad()
def continued(model: Network, start: str, length: int = 120) -> str:
    """What the network writes after `start`, always the likeliest letter."""
    _, letters = read()
    state, text = dg.zeros(1, HIDDEN), start
    fresh = start
    for _ in range(length):
        rows = np.array([[letters.index(c) for c in fresh]])
        scores, state = model(one_hot(rows, len(letters)), state)
        fresh = letters[int(scores[0, -1].argmax().item())]
        text += fresh
    return text


def main() -> None:
    """Train, and let the network write."""
    model, bits = train()
    for step in range(0, len(bits), 50):
        print(f"step {step:4}: {bits[step]:.2f} bits per character")
    print(f"last step: {bits[-1]:.2f} bits per character\n")
    print(continued(model, "the keeper "))


if __name__ == "__main__":
    main()
