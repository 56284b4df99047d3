"""Whether operations are recorded: a mode per thread and asyncio task."""

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any

import numpy as np

RECORDING: ContextVar[bool] = ContextVar("recording", default=True)
RANDOMNESS: ContextVar[str] = ContextVar("randomness", default="same")  # what vmap says of it
is_recording = RECORDING.get


def is_grad_enabled() -> bool:
    """Whether operations on tensors that require gradients are recorded now.

    >>> dg.is_grad_enabled()
    True
    """
    return is_recording()


class GradMode:
    """Recording set on or off inside a `with` block, or inside a decorated function."""

    mode: bool

    def __init__(self) -> None:
        self.tokens: list[Token[bool]] = []

    def __enter__(self) -> None:
        self.tokens.append(RECORDING.set(self.mode))

    def __exit__(self, *exception: object) -> None:
        RECORDING.reset(self.tokens.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, self.mode)


class BareGradMode(GradMode):
    """A mode that also decorates without parentheses: `@no_grad` as well as `@no_grad()`."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(BareGradMode):
    """Record nothing: for evaluation, and for updates of parameters.

    A context manager and a decorator. Results inside do not require gradients.

    >>> w = dg.ones(2, requires_grad=True)
    >>> with dg.no_grad():
    ...     (w * 2).requires_grad
    False
    """

    mode = False


class enable_grad(BareGradMode):
    """Record, also inside `no_grad`. A context manager and a decorator.

    >>> w = dg.ones(2, requires_grad=True)
    >>> with dg.no_grad(), dg.enable_grad():
    ...     (w * 2).requires_grad
    True
    """

    mode = True


class set_grad_enabled(GradMode):
    """Record or not, as `mode` says: from this call on, or inside a `with` block.

    >>> with dg.set_grad_enabled(False):
    ...     dg.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        if not isinstance(mode, bool | np.bool_):
            raise TypeError(f"set_grad_enabled() takes True or False, not {mode!r}")
        self.mode = bool(mode)
        self.before = is_recording()
        RECORDING.set(self.mode)

    def __enter__(self) -> None:
        RECORDING.set(self.mode)

    def __exit__(self, *exception: object) -> None:
        RECORDING.set(self.before)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        RECORDING.set(self.before)  # as a decorator it says nothing of the code around
        return super().__call__(function)


def decorated(function: Callable[..., Any], mode: bool) -> Callable[..., Any]:
    """`function` with recording set to `mode` while its body runs."""
    if inspect.isgeneratorfunction(function):
        return decorated_generator(function, mode)
    if inspect.iscoroutinefunction(function):
        return decorated_coroutine(function, mode)
    if inspect.isasyncgenfunction(function):
        return decorated_async_generator(function, mode)

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        token = RECORDING.set(mode)
        try:
            return function(*args, **kwargs)
        finally:
            RECORDING.reset(token)

    return inside


def decorated_coroutine(function: Callable[..., Any], mode: bool) -> Callable[..., Any]:
    """A coroutine function whose body runs with recording set to `mode`."""

    @functools.wraps(function)
    async def inside(*args: Any, **kwargs: Any) -> Any:
        token = RECORDING.set(mode)
        try:
            return await function(*args, **kwargs)
        finally:
            RECORDING.reset(token)

    return inside


def decorated_async_generator(function: Callable[..., Any], mode: bool) -> Callable[..., Any]:
    """The same for an asynchronous generator function."""

    async def step(awaited: Any) -> Any:
        token = RECORDING.set(mode)
        try:
            return await awaited
        finally:
            RECORDING.reset(token)

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


def decorated_generator(function: Callable[..., Any], mode: bool) -> Callable[..., Any]:
    """A generator function whose body, but not its consumer, runs with recording set to `mode`."""

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        def step(advance: Callable[..., Any], *sent: Any) -> Any:
            token = RECORDING.set(mode)
            try:
                return advance(*sent)
            finally:
                RECORDING.reset(token)

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
