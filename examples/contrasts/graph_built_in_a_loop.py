"""A graph built in a loop by mistake.

Each mode has a loop that grows. On the tape it is a sum of losses that keeps the history of every
step alive; `item()` or `detach()` lets it go. With graphs it is an operation that is built in each
step of training: the graph grows, and every run compiles it again. A warning says so, and
`finalize()` makes it an error.

It prints:

    define-by-run
      total + loss keeps 11 nodes
      total + loss.detach() keeps 0
    define-then-run
      the graph grew from 2 to 12 nodes
      GrowthWarning: in a loop this takes more memory and compiles anew each time
      after finalize(): the graph is finalized: constant_5: float32[] cannot be added
"""

import warnings

import dynamicgrad as dg
import staticgrad as sg


def length_of_history(t):
    """The number of operations that are reachable from a tensor."""
    seen, stack = set(), [t.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack += [n for n, _ in node.next_functions]
    return len(seen)


print("define-by-run")
w = dg.tensor(1.0, requires_grad=True)
total = dg.tensor(0.0)
for _ in range(5):
    total = total + w * w
print("  total + loss keeps", length_of_history(total), "nodes")
total = dg.tensor(0.0)
for _ in range(5):
    total = total + (w * w).detach()
print("  total + loss.detach() keeps", length_of_history(total))

print("define-then-run")
x = sg.placeholder("float32", [], name="x")
session = sg.Session()
y = x * x
session.run(y, {x: 1.0})
graph = sg.get_default_graph()
before = len(graph)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for i in range(5):
        session.run(y + float(i), {x: 1.0})  # `+` builds an operation in each step
print("  the graph grew from", before, "to", len(graph), "nodes")
warned, hint = caught[0].category.__name__, str(caught[0].message).splitlines()[-1]
print(f"  {warned}: {hint.partition('hint: ')[2].partition(';')[0]}")
graph.finalize()
try:
    y + 1.0
except RuntimeError as error:
    print("  after finalize():", str(error).splitlines()[0])
