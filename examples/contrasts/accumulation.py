"""Accumulation of gradients.

`backward` adds to what is in `.grad`, so a loop that does not set it to None adds up the gradients
of all steps. The gradient of a graph is a value like any other: each run computes it from its
feeds. A program that wants a sum says so, with a variable and an assignment.

It prints:

    define-by-run
      after a batch 1.0
      after a batch 3.0
      after a batch 6.0
      after w.grad = None 3.0
    define-then-run
      a run 1.0
      a run 2.0
      a run 3.0
      added up on purpose 6.0
"""

import dynamicgrad as dg
import staticgrad as sg

batches = [1.0, 2.0, 3.0]

print("define-by-run")
w = dg.tensor(1.0, requires_grad=True)
for x in batches:
    (w * x).backward()
    print("  after a batch", w.grad.item())
w.grad = None
(w * 3.0).backward()
print("  after w.grad = None", w.grad.item())

print("define-then-run")
w, x = sg.Variable(1.0, name="w"), sg.placeholder("float32", [], name="x")
(g,) = sg.gradients(w * x, w)
total = sg.Variable(0.0, trainable=False, name="total")
add = total.assign_add(g)
session = sg.Session()
for value in batches:
    print("  a run", session.run(g, {x: value}).item())
for value in batches:
    session.run(add, {x: value})
print("  added up on purpose", session.run(total).item())
