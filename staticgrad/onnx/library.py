"""The package onnx, which is imported when a model is read or written."""

from functools import cache
from typing import Any

from gradops.core.errors import MissingExtraError


@cache
def library() -> Any:
    """The package onnx; raises MissingExtraError where it is not installed."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("staticgrad.onnx", "onnx", "onnx") from error
    return onnx


def parsed(message: Any, content: bytes) -> Any:
    """A message of protobuf, filled from bytes; raises ValueError for others."""
    from google.protobuf.message import DecodeError

    try:
        message.ParseFromString(content)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    return message
