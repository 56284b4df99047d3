"""Grad modes: contexts and decorators, restored on errors, per thread and task."""

import asyncio
import threading

import pytest

import dynamicgrad as dg


def recorded():
    return (dg.ones(1, requires_grad=True) * 2).requires_grad


def test_modes_nest_and_are_restored():
    with dg.no_grad():
        assert not recorded()
        with dg.enable_grad():
            assert recorded()
        assert not recorded()
    assert recorded()


def test_an_error_restores_the_mode():
    with pytest.raises(KeyError), dg.no_grad():
        raise KeyError
    assert recorded()


@pytest.mark.parametrize(
    "decorator", [lambda f: dg.no_grad(f), lambda f: dg.no_grad()(f), dg.set_grad_enabled]
)
def test_a_function_is_decorated_with_or_without_parentheses(decorator):
    @(decorator if decorator is not dg.set_grad_enabled else dg.set_grad_enabled(False))
    def f(a, *, b):
        """What it does."""
        return recorded(), a, b

    assert f(1, b=2) == (False, 1, 2)
    assert f.__doc__ == "What it does."
    assert recorded()


def test_set_grad_enabled_holds_until_it_is_set_again():
    dg.set_grad_enabled(False)
    try:
        assert not dg.is_grad_enabled()
    finally:
        dg.set_grad_enabled(True)
    with dg.set_grad_enabled(False):
        assert not recorded()
    assert recorded()


def test_a_generators_body_but_not_its_consumer_is_inside():
    @dg.no_grad
    def steps():
        sent = yield recorded()
        try:
            yield recorded(), sent
        except KeyError:
            yield "caught", recorded()

    g = steps()
    assert next(g) is False
    assert recorded()
    assert g.send(5) == (False, 5)
    assert g.throw(KeyError) == ("caught", False)
    assert recorded()


def test_a_coroutine_is_inside_and_other_tasks_are_not():
    @dg.no_grad()
    async def inside():
        await asyncio.sleep(0)
        return recorded()

    async def outside():
        await asyncio.sleep(0)
        return recorded()

    async def both():
        return await asyncio.gather(inside(), outside(), inside())

    assert asyncio.run(both()) == [False, True, False]


def test_a_new_thread_records():
    found = []
    with dg.no_grad():
        thread = threading.Thread(target=lambda: found.append(recorded()))
        thread.start()
        thread.join()
    assert found == [True]


def test_a_factory_with_requires_grad_ignores_the_mode():
    with dg.no_grad():
        assert dg.ones(2, requires_grad=True).requires_grad


def test_an_asynchronous_generators_body_but_not_its_consumer_is_inside():
    @dg.no_grad()
    async def steps():
        sent = yield recorded()
        await asyncio.sleep(0)
        try:
            yield recorded(), sent
        except KeyError:
            yield "caught", recorded()

    async def consume():
        g = steps()
        found = [await anext(g), recorded(), await g.asend(5), await g.athrow(KeyError), recorded()]
        return [*found, [item async for item in g]]

    assert asyncio.run(consume()) == [False, True, (False, 5), ("caught", False), True, []]


def test_a_generator_that_is_closed_cleans_up_inside():
    seen = []

    @dg.no_grad()
    def steps():
        try:
            yield
        finally:
            seen.append(recorded())

    next(g := steps())
    g.close()
    assert (seen, recorded()) == ([False], True)


def test_a_generator_returns_its_value_and_delegates():
    @dg.no_grad
    def steps():
        yield from [1, 2]
        return 3

    def outer():
        return (yield from steps())

    g = outer()
    assert [next(g), next(g)] == [1, 2]
    with pytest.raises(StopIteration) as stop:
        next(g)
    assert stop.value.value == 3


def test_one_object_can_be_entered_again_inside_itself():
    mode = dg.no_grad()
    with mode:
        with mode:
            pass
        assert not recorded()
    assert recorded()


def test_methods_are_decorated():
    class Model:
        @dg.no_grad()
        def evaluate(self):
            return self, recorded()

        @staticmethod
        @dg.no_grad
        def quick():
            return recorded()

    model = Model()
    assert model.evaluate() == (model, False)
    assert Model.quick() is False


def test_a_decorated_function_that_fails_restores_the_mode():
    @dg.no_grad()
    def f():
        raise KeyError

    with pytest.raises(KeyError):
        f()
    assert recorded()


@pytest.mark.parametrize("mode", [None, 0, "train"])
def test_a_mode_is_true_or_false(mode):
    with pytest.raises(TypeError, match="takes True or False"):
        dg.set_grad_enabled(mode)
    assert recorded()


def test_an_error_in_backward_leaves_the_mode_as_it_was():
    x = dg.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    for mode in (True, False):
        with dg.set_grad_enabled(mode), pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        assert dg.is_grad_enabled()
