"""The device argument of programs written for several devices: the CPU is accepted."""

import pytest

import dynamicgrad as dg
from gradops import OptionError


@pytest.mark.parametrize("device", ["cpu", "cpu:0", dg.device("cpu"), None])
def test_the_cpu_is_accepted_everywhere(device):
    assert dg.zeros(2, device=device).device == dg.device("cpu")
    assert dg.tensor([1.0], device=device, requires_grad=True).requires_grad
    assert dg.rand(2, device=device).to(device).shape == (2,)
    assert dg.nn.Linear(1, 1).to(device).weight.device.type == "cpu"


def test_a_device_and_a_dtype_in_any_order():
    x = dg.ones(2)
    assert x.to("cpu", "float64").dtype == x.to(dg.float64, "cpu").dtype == dg.float64
    assert x.to(device="cpu", dtype="int64").dtype == dg.int64
    assert x.to("cpu") is x.cpu() is x
    assert x.to("cpu", copy=True) is not x
    assert str(x.device) == "cpu"
    assert repr(x.device) == "device(type='cpu')"


@pytest.mark.parametrize(
    "call",
    [
        lambda: dg.zeros(2, device="cuda"), lambda: dg.ones(2).to("cuda:1"),
        lambda: dg.device("gpu"), lambda: dg.nn.Linear(1, 1).to("mps"),
    ],
)  # fmt: skip
def test_another_device_is_refused(call):
    with pytest.raises(OptionError, match=r"there is no device '(cuda|cuda:1|gpu|mps)'"):
        call()


def test_a_device_of_a_module_leaves_its_dtype():
    layer = dg.nn.Linear(1, 1).to("cpu").to("cpu", dg.float64)
    assert layer.weight.dtype == layer.cpu().bias.dtype == dg.float64
