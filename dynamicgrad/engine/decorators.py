"""Decorates functions of every kind with a context that is in force while their body runs."""

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

Function = Callable[..., Any]
Enter = Callable[[], Any]
Leave = Callable[[Any], object]


def call_around(function: Function, enter: Enter, leave: Leave) -> Function:
    """`function` with `enter` called before its body or a step of it, and `leave(token)` after."""

    def plain(*args: object, **kwargs: object) -> object:
        token = enter()
        try:
            return function(*args, **kwargs)
        finally:
            leave(token)

    async def coroutine(*args: object, **kwargs: object) -> object:
        return await within(enter, leave, function(*args, **kwargs))

    def generator(*args: object, **kwargs: object) -> Generator[object, object, object]:
        return (yield from Steps(function(*args, **kwargs), enter, leave))

    inside: Function = plain
    if inspect.isgeneratorfunction(function):
        inside = generator
    elif inspect.iscoroutinefunction(function):
        inside = coroutine
    elif inspect.isasyncgenfunction(function):
        inside = async_generator(function, enter, leave)
    return functools.wraps(function)(inside)


async def within(enter: Enter, leave: Leave, awaitable: Awaitable[object]) -> object:
    """The result of `awaitable`, which runs between `enter` and `leave`."""
    token = enter()
    try:
        return await awaitable
    finally:
        leave(token)


class Steps(Generator[object, object, object]):
    """A generator each of whose steps runs between `enter` and `leave`."""

    def __init__(self, body: Generator[object, object, object], enter: Enter, leave: Leave) -> None:
        self.body = body
        self.step = call_around(lambda resume, *args: resume(*args), enter, leave)

    def send(self, value: object) -> object:
        """Go on to the next `yield`."""
        return self.step(self.body.send, value)

    def throw(self, *error: Any) -> object:
        """Raise an error at the current `yield`."""
        return self.step(self.body.throw, *error)

    def close(self) -> None:
        """End the generator."""
        self.step(self.body.close)


def async_generator(function: Function, enter: Enter, leave: Leave) -> Function:
    """An asynchronous generator function each of whose steps runs between `enter` and `leave`."""

    async def inside(*args: object, **kwargs: object) -> AsyncGenerator[object, object]:
        body = function(*args, **kwargs)
        step = body.asend(None)
        try:
            while True:
                item = await within(enter, leave, step)
                try:
                    step = body.asend((yield item))
                except Exception as error:
                    step = body.athrow(error)
        except StopAsyncIteration:
            return
        finally:
            await within(enter, leave, body.aclose())

    return inside
