"""Control flow that changes from call to call.

On the tape, Python's own `while` and `if` decide on values, and each call records what it did. A
graph is built once, for all values: a decision that depends on them is an operation, `while_loop`
or `cond`, with its own derivative. Python's `if` on an expression is an error that says so.

It prints:

    define-by-run
      3.0: value 0.75, gradient 0.25, 2 operations recorded
      40.0: value 0.625, gradient 0.015625, 6 operations recorded
    define-then-run
      while x > limit: the truth of greater: bool[] is known only when the graph runs
      3.0: value 0.75, gradient 0.25, the same graph
      40.0: value 0.625, gradient 0.015625, the same graph
"""

import dynamicgrad as dg
import staticgrad as sg


def halvings(x, limit=1.0):
    """Halve until the value is small."""
    while x > limit:
        x = x / 2
    return x


print("define-by-run")
for start in (3.0, 40.0):
    x = dg.tensor(start, requires_grad=True)
    y = halvings(x)
    y.backward()
    steps, node = 0, y.grad_fn
    while node is not None and node.next_functions:
        steps, node = steps + 1, node.next_functions[0][0]
    print(f"  {start}: value {y.item()}, gradient {x.grad.item()}, {steps} operations recorded")

print("define-then-run")
x = sg.placeholder("float32", [], name="x")
try:
    halvings(x)
except TypeError as error:
    print("  while x > limit:", str(error).splitlines()[0])
y = sg.while_loop(lambda v: v > 1.0, lambda v: v / 2, x)
f = sg.compile([y, *sg.gradients(y, x)], [x])
for start in (3.0, 40.0):
    value, gradient = f(start)
    print(f"  {start}: value {value.item()}, gradient {gradient.item()}, the same graph")
