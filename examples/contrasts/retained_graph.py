"""Retained graphs.

`backward` frees what the tape has saved, so it runs once, unless it is told to retain the graph.
A run of a compiled graph uses nothing up: the graph runs as often as you like, and its gradient can
be differentiated without being announced in advance.

It prints:

    define-by-run
      TapeError Trying to backward through the graph a second time
      with retain_graph=True twice; x.grad 22.1672
      the second derivative needs create_graph=True: 7.3891
    define-then-run
      a run: [7.3891, 7.3891]
      a run: [7.3891, 7.3891]
"""

import dynamicgrad as dg
import staticgrad as sg

print("define-by-run")
x = dg.tensor(2.0, requires_grad=True)
y = x.exp()
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print(" ", type(error).__name__, str(error).partition(" (")[0])
y = x.exp()
y.backward(retain_graph=True)
y.backward()
print("  with retain_graph=True twice; x.grad", round(x.grad.item(), 4))
(g,) = dg.autograd.grad(x.exp(), x, create_graph=True)
(second,) = dg.autograd.grad(g, x)
print("  the second derivative needs create_graph=True:", round(second.item(), 4))

print("define-then-run")
x = sg.placeholder("float32", [], name="x")
(g,) = sg.gradients(sg.exp(x), x)
(second,) = sg.gradients(g, x)
f = sg.compile([g, second], [x])
for _ in range(2):
    print("  a run:", [round(value.item(), 4) for value in f(2.0)])
