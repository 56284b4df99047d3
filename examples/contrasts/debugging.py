"""Debugging.

On the tape, `print` and `pdb` look at values in the middle of the program. A graph has no values
while it is built: fetch what you want to see, or watch a run. Errors name the line that built the
expression, though the run that fails is elsewhere.

It prints:

    define-by-run
      h is tensor([0.0000, 0.6931])
    define-then-run
      h is <log log: float32[2]>
      fetched, h is [0.        0.6931472]
      watched: x [1. 2.]
      watched: log [0.        0.6931472]
      watched: mul [0.        1.3862944]
      watched: sum 1.3862944
      log: float32[2] is not finite: 1 of 2 entries, first -inf
        log(x)
          x: float32[2] = [0. 1.]
        made at debugging.py:32, model: h = ops.log(x)
"""

import numpy as np

import dynamicgrad as dg
import staticgrad as sg


def model(ops, x, look=lambda h: None):
    """A small program with a value in the middle."""
    h = ops.log(x)
    look(h)
    return (h * x).sum()


print("define-by-run")
model(dg, dg.tensor([1.0, 2.0]), look=lambda h: print("  h is", h))

print("define-then-run")
x = sg.placeholder("float32", [2], name="x")
kept = []
y = model(sg, x, look=lambda h: print("  h is", h) or kept.append(h))
session = sg.Session()
print("  fetched, h is", session.run(kept[0], {x: [1.0, 2.0]}))
session.run(y, {x: [1.0, 2.0]}, debug=lambda e, value: print("  watched:", e.name, value))
with np.errstate(all="ignore"):
    try:
        session.run(y, {x: [0.0, 1.0]}, check_numerics=True)
    except ArithmeticError as error:
        print("  " + str(error).replace("\n", "\n  "))
