"""Leaves and results.

On the tape, `backward` leaves gradients in the `.grad` of leaves alone: a result has none, unless
it is asked to retain it. A graph has no such difference: `gradients` takes any expression to
differentiate by, and returns expressions.

It prints:

    define-by-run
      w.grad [18.0, 36.0] is_leaf True
      h.grad None is_leaf False
      h.grad [6.0, 12.0] after h.retain_grad()
    define-then-run
      by w [18.0, 36.0]
      by h [6.0, 12.0]
"""

import warnings

import dynamicgrad as dg
import staticgrad as sg

print("define-by-run")
w = dg.tensor([1.0, 2.0], requires_grad=True)
h = w * 3.0
(h * h).sum().backward()
print("  w.grad", w.grad.tolist(), "is_leaf", w.is_leaf)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it says that h is no leaf
    print("  h.grad", h.grad, "is_leaf", h.is_leaf)

h = w * 3.0
h.retain_grad()
(h * h).sum().backward()
print("  h.grad", h.grad.tolist(), "after h.retain_grad()")

print("define-then-run")
w = sg.Variable([1.0, 2.0], name="w")
h = w * 3.0
by_w, by_h = sg.gradients(sg.reduce_sum(h * h), [w, h])
print("  by w", sg.Session().run(by_w).tolist())
print("  by h", sg.Session().run(by_h).tolist())
