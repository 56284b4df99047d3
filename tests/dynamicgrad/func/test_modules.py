"""Modules called with other parameters than their own."""

import pytest

import dynamicgrad as dg
from gradops import TransformError

F = dg.func


class Part:
    """What `functional_call` needs of a module: its parts and where they keep their tensors."""

    training = True

    def __init__(self, parts=(), **tensors):
        self._parameters, self._buffers = tensors, {}
        self.parts = dict(parts)

    def named_modules(self, prefix="", remove_duplicate=True):
        yield prefix, self
        for name, part in self.parts.items():
            yield from part.named_modules(f"{prefix}.{name}" if prefix else name)

    def named_parameters(self):
        for prefix, part in self.named_modules():
            for name, x in part._parameters.items():
                yield (f"{prefix}.{name}" if prefix else name), x

    def named_buffers(self):
        for prefix, part in self.named_modules():
            for name, x in part._buffers.items():
                yield (f"{prefix}.{name}" if prefix else name), x


class Scaled(Part):
    """`b * (inner.w * x)`."""

    def __init__(self, w, b, shift=0.0):
        inner = Part(w=dg.tensor(w, requires_grad=True))
        super().__init__({"inner": inner}, b=dg.tensor(b, requires_grad=True))
        self._buffers["shift"] = dg.tensor(shift)

    def __call__(self, x, power=1):
        inner = self.parts["inner"]._parameters["w"] * x
        return (self._parameters["b"] * inner + self._buffers["shift"]) ** power


@pytest.fixture
def module():
    return Scaled(2.0, 3.0)


def test_a_module_is_called_with_other_tensors_and_keeps_its_own(module):
    before = dict(module.named_parameters())
    given = {"inner.w": dg.tensor(5.0), "shift": dg.tensor(1.0)}
    assert F.functional_call(module, given, dg.tensor(1.0)).item() == 16
    assert F.functional_call(module, [{"b": dg.tensor(1.0)}], (dg.tensor(1.0),), {"power": 2}) == 4
    assert all(x is before[name] for name, x in module.named_parameters())


def test_the_gradient_in_all_parameters_of_each_example(module):
    parameters = {name: x.detach() for name, x in module.named_parameters()}
    loss = lambda p, x: F.functional_call(module, p, x)
    g = dg.vmap(dg.grad(loss), in_dims=(None, 0))(parameters, dg.tensor([1.0, 10.0]))
    assert {name: x.tolist() for name, x in g.items()} == {"b": [2, 20], "inner.w": [3, 30]}


def test_a_tensor_with_two_names_is_replaced_under_both(module):
    module._parameters["b"] = module.parts["inner"]._parameters["w"]
    given, one = {"b": dg.tensor(5.0)}, dg.tensor(1.0)
    assert F.functional_call(module, given, one).item() == 25
    assert F.functional_call(module, given, one, tie_weights=False).item() == 10


def test_names_that_do_not_fit_are_refused_and_nothing_changes(module):
    one = dg.tensor(1.0)
    with pytest.raises(TransformError, match=r"Unexpected key.*'nope'.*\n.*inner\.w"):
        F.functional_call(module, {"nope": one}, one)
    with pytest.raises(TransformError, match=r"Missing key.*inner\.w"):
        F.functional_call(module, {"b": one}, one, strict=True)
    with pytest.raises(TransformError, match="several dictionaries"):
        F.functional_call(module, ({"b": one}, {"b": one}), one)
    with pytest.raises(TypeError):
        F.functional_call(module, {"b": one}, (one, one, one))
    assert module(one).item() == 6


def test_an_ensemble_is_called_as_one():
    models = [Scaled(1.0, 2.0), Scaled(3.0, 4.0)]
    parameters, buffers = F.stack_module_state(models)
    assert parameters["inner.w"].is_leaf
    assert parameters["inner.w"].requires_grad
    call = lambda p, b, x: F.functional_call(models[0], (p, b), x)
    got = dg.vmap(call, in_dims=(0, 0, None))(parameters, buffers, dg.tensor(1.0))
    assert got.tolist() == [2, 12]


def test_models_of_several_kinds_do_not_stack(module):
    with pytest.raises(TransformError, match="at least one"):
        F.stack_module_state([])
    with pytest.raises(TransformError, match="same class"):
        F.stack_module_state([module, Part()])
    other = Scaled(1.0, 1.0)
    other.training = False
    with pytest.raises(TransformError, match="same training/eval mode"):
        F.stack_module_state([module, other])
