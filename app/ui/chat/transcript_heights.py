"""Heights of many rows: the sum above a row, and the row at a place, in O(log n)."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A Fenwick tree that can grow and shrink at its end."""

    def __init__(self, heights: Iterable[float] = ()) -> None:
        self._heights: list[float] = []
        self._tree: list[float] = [0.0]
        for height in heights:
            self.append(height)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> float:
        return self._heights[index]

    def append(self, height: float) -> None:
        """Add a row at the end."""
        self._heights.append(height)
        n = len(self._heights)
        total = height
        step = 1
        while step < n & -n:
            total += self._tree[n - step]
            step *= 2
        self._tree.append(total)

    def pop(self) -> None:
        """Take the last row away."""
        self._heights.pop()
        self._tree.pop()

    def set(self, index: int, height: float) -> None:
        """Change one row's height."""
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        i = index + 1
        while i < len(self._tree):
            self._tree[i] += change
            i += i & -i

    def above(self, index: int) -> float:
        """The heights of all rows before one."""
        total = 0.0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    @property
    def total(self) -> float:
        """The heights of all rows."""
        return self.above(len(self._heights))

    def find(self, place: float) -> int:
        """The row at a place; the last one for a place below all of them."""
        at, remaining = 0, place
        step = 1 << len(self._heights).bit_length()
        while step:
            after = at + step
            if after < len(self._tree) and self._tree[after] <= remaining:
                at = after
                remaining -= self._tree[after]
            step //= 2
        return max(min(at, len(self._heights) - 1), 0)
