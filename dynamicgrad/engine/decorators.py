"""Functions of every kind with a context in force while their body runs."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

Enter = Callable[[], Any]
Leave = Callable[[Any], None]


def decorated(function: Callable[..., Any], enter: Enter, leave: Leave) -> Callable[..., Any]:
    """`function` with `enter` called before its body runs, and `leave` on what that gave after."""
    if inspect.isgeneratorfunction(function):
        return decorated_generator(function, enter, leave)
    if inspect.iscoroutinefunction(function):
        return decorated_coroutine(function, enter, leave)
    if inspect.isasyncgenfunction(function):
        return decorated_async_generator(function, enter, leave)

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        token = enter()
        try:
            return function(*args, **kwargs)
        finally:
            leave(token)

    return inside


def decorated_coroutine(
    function: Callable[..., Any], enter: Enter, leave: Leave
) -> Callable[..., Any]:
    """A coroutine function whose body runs in the context."""

    @functools.wraps(function)
    async def inside(*args: Any, **kwargs: Any) -> Any:
        token = enter()
        try:
            return await function(*args, **kwargs)
        finally:
            leave(token)

    return inside


def decorated_async_generator(
    function: Callable[..., Any], enter: Enter, leave: Leave
) -> Callable[..., Any]:
    """The same for an asynchronous generator function."""

    async def step(awaited: Any) -> Any:
        token = enter()
        try:
            return await awaited
        finally:
            leave(token)

    @functools.wraps(function)
    async def inside(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        try:
            item = await step(generator.asend(None))
            while True:
                try:
                    sent = yield item
                except Exception as error:
                    item = await step(generator.athrow(error))
                else:
                    item = await step(generator.asend(sent))
        except StopAsyncIteration:
            return
        finally:
            await step(generator.aclose())

    return inside


def decorated_generator(
    function: Callable[..., Any], enter: Enter, leave: Leave
) -> Callable[..., Any]:
    """A generator function whose body, but not its consumer, runs in the context."""

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        def step(advance: Callable[..., Any], *sent: Any) -> Any:
            token = enter()
            try:
                return advance(*sent)
            finally:
                leave(token)

        generator = function(*args, **kwargs)
        try:
            item = step(generator.send, None)
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    raise
                except BaseException as error:
                    item = step(generator.throw, error)
                else:
                    item = step(generator.send, sent)
        except StopIteration as stop:
            return stop.value
        finally:
            step(generator.close)

    return inside
