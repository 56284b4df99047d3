"""A loop whose number of steps is fed, differentiated twice, on the tape and as a graph.

Applying y / (1 + y) to x, n times, gives x / (1 + n x), so every derivative is known. In the graph
the loop is one expression for all n; its second derivative is computed by reverse over reverse
and by forward over reverse. `dynamicgrad` runs the same step in a Python loop.

    python examples/loop_twice.py
"""

from typing import Any

import numpy as np

import dynamicgrad as dg
import staticgrad as sg

AT, COUNTS = 0.3, (1, 10, 1000)

Row = tuple[float, float, float]


def step(y: Any) -> Any:
    """One step, for numbers, tensors and expressions."""
    return y / (1 + y)


def by_graph() -> Any:
    """Build a function of x and n: the value, the slope, and the curvature in two ways."""
    with sg.Graph("loop").as_default():
        x = sg.placeholder("float64", [], name="x")
        n = sg.placeholder("int64", [], name="n")
        _, y = sg.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, step(y)), [0, x])
        (slope,) = sg.gradients(y, x)
        (reverse_twice,) = sg.gradients(slope, x)
        (forward_over_reverse,) = sg.jvp(slope, x, 1.0)
        return sg.compile([y, slope, reverse_twice, forward_over_reverse], [x, n])


def by_run(at: float, n: int) -> Row:
    """The value, the slope and the curvature from a tape."""
    x = dg.tensor(at, dtype=dg.float64, requires_grad=True)
    y = x
    for _ in range(n):
        y = step(y)
    (slope,) = dg.autograd.grad(y, x, create_graph=True)
    (curvature,) = dg.autograd.grad(slope, x)
    return y.item(), slope.item(), curvature.item()


def closed_form(x: float, n: int) -> Row:
    """The value, the slope and the curvature from the closed form."""
    return x / (1 + n * x), 1 / (1 + n * x) ** 2, -2 * n / (1 + n * x) ** 3


def run(at: float = AT, counts: tuple[int, ...] = COUNTS) -> dict[int, dict[str, Row]]:
    """Value, slope and curvature at `at`, for each number of steps and each method."""
    graph, results = by_graph(), {}
    for n in counts:
        y, slope, reverse_twice, forward_over_reverse = map(float, graph(np.float64(at), n))
        results[n] = {
            "graph, reverse twice": (y, slope, reverse_twice),
            "graph, forward over reverse": (y, slope, forward_over_reverse),
            "dynamicgrad, reverse twice": by_run(at, n),
            "closed form": closed_form(at, n),
        }
    return results


def main() -> None:
    """Print the results."""
    print(f"y / (1 + y), n times, from x = {AT}; one graph serves every n\n")
    print(f"{'n':>5}  {'':<28}{'value':>20}{'slope':>22}{'curvature':>23}")
    for n, ways in run().items():
        for way, (y, slope, curvature) in ways.items():
            print(f"{n:>5}  {way:<28}{y:>20.15f}{slope:>22.15e}{curvature:>23.15e}")
        print()


if __name__ == "__main__":
    main()
