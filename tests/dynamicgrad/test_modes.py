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
