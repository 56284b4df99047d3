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


@table.gives((False, True, [3.0, 3.0, 1.0, 1.0], 1))
def a_view_made_in_inference_mode_is_normal(t):
    x = t.ones(4)
    with t.inference_mode():
        v = x[:2]
        v.mul_(3)
    return v.is_inference(), v._is_view(), x.tolist(), x._version


@table.gives((True, False, [2.0, 1.0]))
def a_view_of_what_was_made_in_inference_mode_is_part_of_it(t):
    with t.inference_mode():
        x = t.ones(2)
    v = x[:1]
    with t.inference_mode():
        v.mul_(2)
    return v.is_inference(), v._is_view(), x.tolist()


@table.refuses("Inplace update to inference tensor outside InferenceMode is not allowed.")
def a_view_of_what_was_made_in_inference_mode_is_not_written_to(t):
    with t.inference_mode():
        x = t.ones(2)
    x[:1].mul_(2)


@table.refuses("A view was created in inference mode and is being modified inplace in normal mode.")
def a_view_made_in_inference_mode_is_not_written_to(t):
    y = t.ones(4, requires_grad=True) * 1
    with t.inference_mode():
        v = y[:2]
    v.mul_(2)


@table.gives(([4.0, 2.0], 0))
def a_view_made_in_inference_mode_may_be_saved(t):
    x, w = t.tensor([4.0, 2.0, 1.0]), t.ones(2, requires_grad=True)
    with t.inference_mode():
        v = x[:2]
    (v * w).sum().backward()
    return w.grad.tolist(), v._version


@table.refuses("one of the variables needed for gradient computation has been modified by an inp")
def a_write_to_a_view_in_inference_mode_counts(t):
    y = t.ones(4, requires_grad=True).exp()
    with t.inference_mode():
        y[:2].mul_(5)
    y.sum().backward()


@table.gives((False, True, False, True, True, True))
def copies_and_views_in_inference_mode(t):
    x = t.ones(4)
    with t.inference_mode():
        made = x.detach(), x.clone(), x.unfold(0, 2, 1), x * 2, x.flip(0)
        same = x.contiguous() is x
    return (*(y.is_inference() for y in made), same)


@table.refuses("Inplace update to inference tensor outside InferenceMode is not allowed.")
def inference_inplace_without_recording(t):
    with t.inference_mode():
        y = t.ones(2) * 2
    with t.no_grad():
        y.add_(t.ones(2))


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()
