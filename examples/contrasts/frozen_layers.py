"""Frozen layers.

On the tape a frozen parameter requires no gradient; `backward` then stops above the lowest one that
does. In a graph, the program asks for the gradients of the parameters that train, and what only
others would need is not built. `stop_gradient` cuts in the middle, as `detach` does.

It prints:

    define-by-run
      head.grad [3.98, 3.98] body.grad None
      recorded: SumBackward0, MvBackward0, AccumulateGrad
    define-then-run
      trainable: ['head']
      the gradient by head is 3 operations
      the gradient by head and body is 10 operations
"""

import dynamicgrad as dg
import staticgrad as sg

print("define-by-run")
x = dg.ones(4, 3)
body = dg.ones(3, 2)  # requires no gradient
head = dg.ones(2, requires_grad=True)
loss = (dg.tanh(x @ body) @ head).sum()
loss.backward()
print("  head.grad", [round(v, 3) for v in head.grad.tolist()], "body.grad", body.grad)

recorded, stack = [], [loss.grad_fn]
while stack:
    node = stack.pop()
    recorded.append(node.name())
    stack += [n for n, _ in node.next_functions if n is not None]
print("  recorded:", ", ".join(recorded))

print("define-then-run")
x = sg.placeholder("float32", [4, 3], name="x")
body = sg.Variable([[1.0, 1.0]] * 3, trainable=False, name="body")
head = sg.Variable([1.0, 1.0], name="head")
loss = sg.reduce_sum(sg.tanh(x @ body) @ head)
print("  trainable:", [v.name for v in sg.trainable_variables()])
for name, wrt in (("head", [head]), ("head and body", [head, body])):
    grads = sg.gradients(loss, wrt)
    built = sum(e.origin is not None and e.op is not None for e in sg.freeze(grads, [x]).order)
    print(f"  the gradient by {name} is {built} operations")
