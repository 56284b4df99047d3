"""Decorates functions of every kind with a context that is in force while their body runs."""

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractContextManager
from typing import Any

Function = Callable[..., Any]
Scope = Callable[[], AbstractContextManager[None]]


def decorated(function: Function, scope: Scope) -> Function:
    """`function` with its body in contexts of `scope`; the consumer of a generator is outside."""

    def plain(*args: object, **kwargs: object) -> object:
        with scope():
            return function(*args, **kwargs)

    async def coroutine(*args: object, **kwargs: object) -> object:
        return await within(scope, function(*args, **kwargs))

    def generator(*args: object, **kwargs: object) -> Generator[object, object, object]:
        return (yield from Steps(function(*args, **kwargs), scope))

    inside: Function = plain
    if inspect.isgeneratorfunction(function):
        inside = generator
    elif inspect.iscoroutinefunction(function):
        inside = coroutine
    elif inspect.isasyncgenfunction(function):
        inside = async_generator(function, scope)
    return functools.wraps(function)(inside)


async def within(scope: Scope, awaitable: Awaitable[object]) -> object:
    """The result of `awaitable`, which runs in a context of `scope`."""
    with scope():
        return await awaitable


class Steps(Generator[object, object, object]):
    """A generator each of whose steps runs in a context of `scope`."""

    def __init__(self, body: Generator[object, object, object], scope: Scope) -> None:
        self.body, self.scope = body, scope

    def send(self, value: object) -> object:
        """Go on to the next `yield`."""
        with self.scope():
            return self.body.send(value)

    def throw(self, *error: Any) -> object:
        """Raise an error at the current `yield`."""
        with self.scope():
            return self.body.throw(*error)

    def close(self) -> None:
        """End the generator."""
        with self.scope():
            self.body.close()


def async_generator(function: Function, scope: Scope) -> Function:
    """An asynchronous generator function each of whose steps runs in a context of `scope`."""

    async def inside(*args: object, **kwargs: object) -> AsyncGenerator[object, object]:
        body = function(*args, **kwargs)
        try:
            item = await within(scope, body.asend(None))
            while True:
                try:
                    sent = yield item
                except Exception as error:
                    item = await within(scope, body.athrow(error))
                else:
                    item = await within(scope, body.asend(sent))
        except StopAsyncIteration:
            return
        finally:
            await within(scope, body.aclose())

    return inside
