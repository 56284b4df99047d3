"""Data sets, and batches of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from gradops import ShapeError

from .engine.tensor import Tensor, as_tensor, handle
from .ops.creation import generator as default_generator
from .ops.creation import tensor
from .ops.shapes import stack

__all__ = ["DataLoader", "Dataset", "TensorDataset", "default_collate"]


class Dataset:
    """Examples by number: a subclass defines `__getitem__` and `__len__`.

    >>> class Squares(dg.data.Dataset):
    ...     def __len__(self):
    ...         return 4
    ...
    ...     def __getitem__(self, i):
    ...         return i, i * i
    >>> list(dg.data.DataLoader(Squares(), batch_size=4))
    [[tensor([0, 1, 2, 3]), tensor([0, 1, 4, 9])]]
    """

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")


class TensorDataset(Dataset):
    """Examples that lie along the first dimension of tensors; each is a tuple of their parts.

    Raises ShapeError if the tensors have different numbers of examples.

    >>> data = dg.data.TensorDataset(dg.arange(3), dg.ones(3, 2))
    >>> len(data), data[1]
    (3, (tensor(1), tensor([1., 1.])))
    """

    def __init__(self, *tensors: Any) -> None:
        self.tensors = tuple(map(as_tensor, tensors))
        if len({len(t) for t in self.tensors}) > 1:
            raise ShapeError(
                "TensorDataset", [t.type for t in self.tensors], "Size mismatch between tensors:"
                " all have one part for each example, along the first dimension",
            )  # fmt: skip

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


def default_collate(examples: list[Any]) -> Any:
    """A batch of examples: tensors, arrays and numbers stacked; tuples and dicts part by part.

    >>> dg.data.default_collate([{"x": 1.0}, {"x": 2.0}])
    {'x': tensor([1., 2.])}
    """
    first = examples[0]
    if isinstance(first, Tensor | np.ndarray):
        return stack(examples)
    if isinstance(first, Mapping):
        return {key: default_collate([x[key] for x in examples]) for key in first}
    if isinstance(first, tuple | list):
        return [default_collate(list(part)) for part in zip(*examples, strict=True)]
    return examples if isinstance(first, str) else tensor(examples)


class DataLoader:
    """Batches of a data set, in its order or shuffled for each loop over them.

    Instead of shuffling, a `sampler` may give the numbers of the examples. `drop_last` leaves out
    a last batch that is not full. `collate_fn` makes a batch of a list of examples. The order is
    drawn from `generator`, by default the random numbers of this thread.

    >>> data = dg.data.TensorDataset(dg.arange(5))
    >>> for (x,) in dg.data.DataLoader(data, batch_size=2):
    ...     print(x)
    tensor([0, 1])
    tensor([2, 3])
    tensor([4])
    """

    def __init__(
        self, dataset: Any, batch_size: int = 1, shuffle: bool = False,
        sampler: Iterable[int] | None = None, collate_fn: Callable[[list[Any]], Any] | None = None,
        drop_last: bool = False, generator: np.random.Generator | None = None,
    ) -> None:  # fmt: skip
        if batch_size < 1:
            raise ValueError(f"batch_size should be a positive integer value, but got {batch_size}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.sampler, self.collate_fn, self.drop_last = sampler, collate_fn, drop_last
        self.generator = generator

    def __len__(self) -> int:
        n = len(self.dataset if self.sampler is None else self.sampler)  # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        order = self.order()
        for i in range(len(self)):
            yield self.batch(order[i * self.batch_size : (i + 1) * self.batch_size])

    def order(self) -> np.ndarray:
        """The numbers of the examples, in the order in which they come."""
        if self.sampler is not None:
            return np.fromiter(self.sampler, np.int64)
        if self.shuffle:
            rng = default_generator() if self.generator is None else self.generator
            return rng.permutation(len(self.dataset))
        return np.arange(len(self.dataset))

    def batch(self, chosen: np.ndarray) -> Any:
        """The batch of the examples with these numbers."""
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            return list(self.dataset[handle(chosen)])  # the same, without a loop
        examples = [self.dataset[i] for i in chosen.tolist()]
        return (self.collate_fn or default_collate)(examples)
