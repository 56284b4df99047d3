"""PyTorch's `cuda`, for programs that ask whether it is available: it is not.

>>> "cuda" if dg.cuda.is_available() else "cpu"
'cpu'
"""

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """False: tensors are NumPy arrays, on the CPU.

    >>> dg.cuda.is_available()
    False
    """
    return False


def device_count() -> int:
    """The number of devices: 0.

    >>> dg.cuda.device_count()
    0
    """
    return 0
