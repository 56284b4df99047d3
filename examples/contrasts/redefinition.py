"""Redefinition at run time.

The tape runs the program as it is now: when a function is redefined, as in a notebook, the next
call uses the new one. A graph is what the program was when the graph was built; it changes only by
being built again, or by an operation on graphs.

It prints:

    define-by-run
      before 9.0 6.0
    define-then-run
      before 9.0 6.0
    define-by-run
      after 27.0 27.0
    define-then-run
      after 9.0 6.0 as it was built
      replaced in the graph 27.0
"""

import dynamicgrad as dg
import staticgrad as sg


def activation(x):
    """The first version."""
    return x * x


x = sg.placeholder("float32", [], name="x")
built = activation(x)
f = sg.compile([built, *sg.gradients(built, x)], [x])

print("define-by-run")
print("  before", *dg.value_and_grad(activation)(3.0))
print("define-then-run")
print("  before", *f(3.0))


def activation(x):
    """The second version."""
    return x * x * x


print("define-by-run")
print("  after", *dg.value_and_grad(activation)(3.0))
print("define-then-run")
print("  after", *f(3.0), "as it was built")
replaced = sg.replace(sg.freeze([built], [x]), {"mul": lambda a, _: activation(a)})
print("  replaced in the graph", *sg.compile(replaced)(3.0))
