"""Running without gradients.

The tape records whatever touches a tensor that requires gradients, so evaluation and updates say
`no_grad`. A graph computes what is fetched: unless that is a gradient, nothing of one is computed,
saved or even there.

It prints:

    define-by-run
      recorded: True
      recorded under no_grad: False
      an update: a leaf Variable that requires grad is being used in an in-place operation.
      an update under no_grad: [0.9, 1.9]
    define-then-run
      fetching loss computes mul, sum
      fetching loss and gradient computes mul, sum, broadcast_to, mul, add
      an update: [0.8, 1.6]
"""

import dynamicgrad as dg
import staticgrad as sg

print("define-by-run")
w = dg.tensor([1.0, 2.0], requires_grad=True)
print("  recorded:", (w * w).sum().grad_fn is not None)
with dg.no_grad():
    print("  recorded under no_grad:", (w * w).sum().grad_fn is not None)
try:
    w -= 0.1
except RuntimeError as error:
    print("  an update:", str(error).splitlines()[0])
with dg.no_grad():
    w -= 0.1
print("  an update under no_grad:", [round(v, 1) for v in w.tolist()])

print("define-then-run")
w = sg.Variable([1.0, 2.0], name="w")
loss = sg.reduce_sum(w * w)
(g,) = sg.gradients(loss, w)
for name, fetches in (("loss", [loss]), ("loss and gradient", [loss, g])):
    nodes = [e.what for e in sg.freeze(fetches).order if e.op is not None]
    print(f"  fetching {name} computes {', '.join(nodes)}")
update = w.assign(w - 0.1 * g)
session = sg.Session()
session.run(update)
print("  an update:", [round(v, 1) for v in session.run(w).tolist()])
