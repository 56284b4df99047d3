"""Sets of entries that others depend on, by number.

Note [Row sets]. A pattern gives each entry of a value the number of a set: that of the entries of x
on which it depends. Entries that depend on the same share a number, so a sum that is repeated a
million times costs one set. Set 0 is empty. Sets never change, and new ones get new numbers.
"""

from typing import Any

import numpy as np

Ids = np.ndarray  # the number of a set for each entry of a value, in C order


class RowSets:
    """The sets of one analysis, as rows of sparse matrices with `size` columns."""

    def __init__(self, size: int) -> None:
        from scipy import sparse

        self.sparse, self.size = sparse, size
        empty = sparse.csr_array((1, size), dtype=np.int8)
        self.chunks: list[Any] = [empty]
        self.starts = [0, 1]

    def identity(self) -> Ids:
        """The numbers of the sets of one entry each."""
        return self.add(self.sparse.eye_array(self.size, dtype=np.int8, format="csr"))

    def add(self, rows: Any) -> Ids:
        """The numbers of new sets."""
        rows.data[:] = 1
        start = self.starts[-1]
        self.chunks.append(rows)
        self.starts.append(start + rows.shape[0])
        return np.arange(start, start + rows.shape[0])

    def rows(self, ids: Ids) -> Any:
        """Sets as the rows of a matrix."""
        where = np.searchsorted(self.starts, ids, side="right") - 1
        found = [int(k) for k in np.flatnonzero(np.bincount(where, minlength=1))] or [0]
        if len(found) == 1:
            return self.chunks[found[0]][ids - self.starts[found[0]]]
        parts = [np.flatnonzero(where == k) for k in found]
        each = [self.chunks[k][ids[at] - self.starts[k]]
                for k, at in zip(found, parts, strict=True)]  # fmt: skip
        order = np.empty(ids.size, np.int64)
        order[np.concatenate(parts)] = np.arange(ids.size)
        return self.sparse.vstack(each, format="csr")[order]

    def union(self, a: Ids, b: Ids) -> Ids:
        """The unions of sets, pair by pair."""
        result = np.where(a == 0, b, a)
        need = np.flatnonzero((a != b) & (a != 0) & (b != 0))
        if not need.size:
            return result
        left, right = a[need], b[need]
        back = None
        if not (np.diff(left) > 0).all():
            pairs = left * self.starts[-1] + right
            _, first, back = np.unique(pairs, return_index=True, return_inverse=True)
            left, right = left[first], right[first]
        new = self.add(self.rows(left) + self.rows(right))
        result[need] = new if back is None else new[back]
        return result

    def together(self, ids: Ids, groups: np.ndarray, count: int) -> Ids:
        """The unions of the sets in each of `count` groups; a negative group is none."""
        keep = (ids != 0) & (groups >= 0)
        if not keep.all():
            ids, groups = ids[keep], groups[keep]
        distinct, places = np.unique(ids, return_inverse=True)
        if distinct.size == 1:
            result = np.zeros(count, np.int64)
            result[groups] = distinct[0]
            return result
        ones = np.ones(ids.size, np.int8)
        members = self.sparse.csr_array((ones, (groups, places)), (count, distinct.size))
        members.data[:] = 1
        rows = members @ self.rows(distinct)
        rows.sort_indices()
        new = self.add(rows)
        return np.where(np.bincount(groups, minlength=count) > 0, new, 0)

    def everything(self, ids: Ids) -> int:
        """The union of all of some sets."""
        distinct = np.unique(ids)
        if distinct.size == 1:
            return int(distinct[0])
        return int(self.together(distinct, np.zeros(distinct.size, np.int64), 1)[0])
