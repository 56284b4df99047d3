"""Hooks of modules: before and after forward, in order, until removed."""

import pytest

import dynamicgrad as dg
from dynamicgrad import nn


class Scaled(nn.Module):
    def forward(self, x, factor=1):
        return x * factor


def test_hooks_see_and_may_replace_arguments_and_output():
    module = Scaled()
    module.register_forward_pre_hook(lambda m, args: args[0] + 1)
    module.register_forward_hook(lambda m, args, output: output * 10 + args[0])
    assert module(dg.ones(1), factor=2).tolist() == [42]


def test_hooks_may_ask_for_the_keywords():
    module = Scaled()

    def double(m, args, kwargs):
        return args, {"factor": kwargs["factor"] * 2}

    module.register_forward_pre_hook(double, with_kwargs=True)
    module.register_forward_hook(lambda m, args, kw, y: y + kw["factor"], with_kwargs=True)
    assert module(dg.ones(1), factor=2).tolist() == [8]


def test_hooks_run_in_order_and_can_be_put_first():
    module, calls = Scaled(), []
    for name in ("second", "third"):
        module.register_forward_hook(lambda *_, name=name: calls.append(name))
    module.register_forward_hook(lambda *_: calls.append("first"), prepend=True)
    module.register_forward_pre_hook(lambda *_: calls.append("before"))
    module(dg.ones(1))
    assert calls == ["before", "first", "second", "third"]


def test_a_removed_hook_is_not_called():
    module, calls = Scaled(), []
    handle = module.register_forward_hook(lambda *_: calls.append(1))
    handle.remove()
    handle.remove()
    with module.register_forward_pre_hook(lambda *_: calls.append(2)):
        module(1)
    module(1)
    assert calls == [2]


def test_a_hook_may_remove_itself():
    module, calls = Scaled(), []

    def once(*_):
        calls.append(1)
        handle.remove()

    handle = module.register_forward_hook(once)
    module(1)
    module(1)
    assert calls == [1]


def test_a_hook_that_is_always_called_is_called_after_a_failure():
    module, calls = Scaled(), []
    module.register_forward_hook(lambda *_: calls.append("never"))
    module.register_forward_hook(lambda m, args, y: calls.append(y), always_call=True)
    with pytest.raises(TypeError):
        module(1, factor=1, other=2)
    assert calls == [None]


def test_what_a_hook_with_keywords_returns_is_checked():
    module = Scaled()
    module.register_forward_pre_hook(lambda m, args, kwargs: args, with_kwargs=True)
    with pytest.raises(TypeError, match="must return None or a tuple"):
        module(1)


def test_a_handle_keeps_no_module_alive():
    module = Scaled()
    handle = module.register_forward_hook(lambda *_: None)
    del module
    handle.remove()
