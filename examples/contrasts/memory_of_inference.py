"""Memory of inference.

The tape saves values for a `backward` that inference never calls; `no_grad` saves none. A graph
without a gradient keeps nothing, and overwrites what is no longer needed: its memory is planned
before it runs.

It prints:

    define-by-run
      saved for backward: 4.0 MB
      under no_grad: 0.0 MB
    define-then-run
      inference: 0.4 MB, 4.0 MB unplanned
      with a gradient: 4.400064 MB, 15.6 MB unplanned
"""

import dynamicgrad as dg
import staticgrad as sg

N, LAYERS = 100_000, 10


def network(ops, x):
    """Many layers, each with a result of the size of its input."""
    for _ in range(LAYERS):
        x = ops.tanh(x)
    return x


def bytes_saved(t):
    """The memory that the tape keeps for backward."""
    total, node = 0, t.grad_fn
    while node is not None and node.next_functions:
        total += N * 4  # tanh saves its output
        node = node.next_functions[0][0]
    return total


print("define-by-run")
x = dg.zeros(N, requires_grad=True)
print(f"  saved for backward: {bytes_saved(network(dg, x)) / 1e6} MB")
with dg.no_grad():
    print(f"  under no_grad: {bytes_saved(network(dg, x)) / 1e6} MB")

print("define-then-run")
x = sg.placeholder("float32", [N], name="x")
y = network(sg, x)
for name, fetches in (("inference", [y]), ("with a gradient", [y, *sg.gradients(y, x)])):
    report = sg.compile(fetches, [x]).report
    print(f"  {name}: {report.predicted_peak / 1e6} MB, {report.unshared / 1e6} MB unplanned")
