"""A program of somebody else, which strict type checkers accept with the installed packages."""

import numpy as np

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn
from gradops import GradError


def slope(values: np.ndarray) -> np.ndarray:
    """The derivative of a sum of squares, recorded."""
    x = dg.tensor(values, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad is not None
    found: np.ndarray = x.grad.numpy()
    return found


def executable() -> sg.Executable:
    """The same as a graph."""
    x = sg.placeholder("float64", [3], name="x")
    return sg.compile(sg.gradients(sg.reduce_sum(x * x), [x]), [x])


class Network(nn.Module):
    """A network of one's own."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(2, 8)
        self.output = nn.Linear(8, 1)

    def forward(self, x: dg.Tensor) -> dg.Tensor:
        """A number for each row."""
        result: dg.Tensor = self.output(dg.tanh(self.hidden(x)))
        result = result.squeeze(1)
        return result


def trained(steps: int) -> float:
    """The loss of a network after some steps."""
    dg.manual_seed(0)
    net, x = Network(), dg.randn(16, 2)
    optimizer = dg.optim.Adam(net.parameters(), lr=0.01)
    loss = dg.tensor(0.0)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), x.sum(1))
        loss.backward()
        optimizer.step()
    return float(loss.item())


def session() -> float:
    """A variable that a session updates."""
    with sg.Graph().as_default():
        w = sg.Variable([1.0, 2.0], name="w")
        loss = sg.reduce_sum(sg.square(w))
        train = sg.train.GradientDescentOptimizer(0.1).minimize(loss)
        with sg.Session() as running:
            running.run(train)
            return float(running.run(loss))


def energy(x: np.ndarray) -> np.float64:
    """A plain function of NumPy."""
    result: np.float64 = np.sum(np.tanh(x) ** 2)
    return result


def main() -> None:
    """Run all of it."""
    try:
        print(slope(np.ones(3)), executable()(np.ones(3)), trained(20) < trained(1), session())
    except GradError as error:
        print(error)
    value, gradient = dg.value_and_grad(energy)(np.ones(2))
    graph: sg.FrozenGraph = sg.trace(energy, [np.ones(2)])
    print(value, gradient, sg.compile(graph)(np.ones(2)), sg.to_text(graph, lines=False))


main()
