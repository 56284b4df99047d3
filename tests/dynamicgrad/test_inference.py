"""Inference mode."""

from .behaviour import Table

table = Table()


@table.gives((False, True, True, False, (True, False)))
def inference(t):
    w = t.ones(2, requires_grad=True)
    with t.inference_mode():
        y = w * 2
        z = t.ones(2) * 3
        r = t.is_inference_mode_enabled(), t.is_grad_enabled()
    return y.requires_grad, y.is_inference(), z.is_inference(), w.is_inference(), r


@table.gives((True, True, True, False))
def inference_made(t):
    with t.inference_mode():
        x, y, z = t.ones(2), t.tensor([1.0]), t.rand(2)
    return x.is_inference(), y.is_inference(), z.is_inference(), t.ones(1).is_inference()


@table.refuses(
    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed"
)
def inference_leaf(t):
    with t.inference_mode():
        x = t.ones(2)
    x.requires_grad_()


@table.refuses("Inplace update to inference tensor outside InferenceMode is not allowed.")
def inference_inplace(t):
    with t.inference_mode():
        y = t.ones(2) * 2
    y.add_(1)


@table.refuses("Inference tensors do not track version counter.")
def inference_version(t):
    with t.inference_mode():
        y = t.ones(2) * 2
    return y._version


@table.refuses("Inference tensors cannot be saved for backward")
def inference_saved(t):
    w = t.ones(2, requires_grad=True)
    with t.inference_mode():
        y = t.ones(2) * 2
    (w * y).sum().backward()


@table.gives([1.0, 1.0])
def inference_add(t):
    w = t.ones(2, requires_grad=True)
    with t.inference_mode():
        y = t.ones(2) * 2
    (w + y).sum().backward()
    return w.grad.tolist()


@table.gives((True, False, True))
def inference_nested(t):
    w = t.ones(2, requires_grad=True)
    with t.inference_mode():
        with t.inference_mode(False):
            y = w * 2
        with t.no_grad():
            z = w * 2
    return y.requires_grad, y.is_inference(), z.is_inference()


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()
