"""Halving volumes along some axes: docs/FORMAT.md, 'Levels', and src/core/levels/halve.ts."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._header import Three

#: Files mark missing values by NaN, infinities or this, the largest 32-bit float; only smaller ones are numbers.
_LARGEST = 3.4028234663852886e38
#: Squares of 2 × 2 voxels that are not of one value: fewer say nothing.
_FEWEST_MIXED = 256
#: In a segmentation most squares have one value, and almost all others have two.
_LEAST_UNIFORM, _LEAST_PAIRS = 1 / 2, 7 / 8


def halve(planes: NDArray[Any], steps: Three, method: str) -> NDArray[Any]:
    """@param planes x, y, z. Results combine only existing voxels @param steps 2 along an axis that is halved, otherwise 1"""
    if planes.dtype.kind == "f":
        return _mean_of_floats(planes, steps)
    return _mode(planes, steps) if method == "mode" else _mean_of_integers(planes, steps)


def _combined(planes: NDArray[Any], steps: Three) -> Iterator[tuple[tuple[slice, ...], NDArray[Any]]]:
    """The voxels to combine, x fastest, then y, z: the first of each result, the second … and for which results there is one."""
    for z in range(steps[2]):
        for y in range(steps[1]):
            for x in range(steps[0]):
                part = planes[x :: steps[0], y :: steps[1], z :: steps[2]]
                yield tuple(slice(length) for length in part.shape), part


def _halved_shape(planes: NDArray[Any], steps: Three) -> tuple[int, ...]:
    return tuple(-(-length // step) for length, step in zip(planes.shape, steps, strict=True))


def _mean_of_integers(planes: NDArray[Any], steps: Three) -> NDArray[Any]:
    """Halves are rounded away from zero."""
    sums = np.zeros(_halved_shape(planes, steps), np.int64 if planes.dtype.itemsize == 4 else np.int32, order="F")
    for where, part in _combined(planes, steps):
        sums[where] += part
    # By how many bits to shift, as a power of two: one for each axis, except at the end of an odd length.
    shifts = np.zeros((1, 1, 1), sums.dtype)
    for axis, (length, step) in enumerate(zip(planes.shape, steps, strict=True)):
        along = np.full(-(-length // step), step - 1, sums.dtype)
        along[-1] = length % step == 0 and step == 2
        shifts = shifts + along.reshape([-1 if axis == one else 1 for one in range(3)])
    counts = 1 << shifts
    # Of negative sums one less is added, because a shift rounds down.
    sums += (counts >> 1) - ((sums < 0) & (counts > 1))
    sums >>= shifts
    return sums.astype(planes.dtype)


def _mean_of_floats(planes: NDArray[Any], steps: Three) -> NDArray[Any]:
    shape = _halved_shape(planes, steps)
    # The sum of negative zeros alone is one.
    sums = np.full(shape, -0.0, np.float64, order="F")
    counts = np.zeros(shape, np.int8, order="F")
    for where, part in _combined(planes, steps):
        is_number = np.abs(part) < _LARGEST
        sums[where] += np.where(is_number, part, -0.0)
        counts[where] += is_number
    with np.errstate(invalid="ignore"):
        means = (sums / counts).astype(planes.dtype)
    if (counts == 0).any():
        # Copied by their bits, because arithmetic may change those of a NaN.
        bits = np.dtype(f"u{planes.dtype.itemsize}")
        first = planes[:: steps[0], :: steps[1], :: steps[2]]
        np.copyto(means.view(bits), first.view(bits), where=counts == 0)
    return means


def _mode(planes: NDArray[Any], steps: Three) -> NDArray[Any]:
    """Among equally frequent values, the first one."""
    first = planes[:: steps[0], :: steps[1], :: steps[2]]
    result = first.copy(order="F")
    mixed = np.zeros(first.shape, bool, order="F")
    for where, part in _combined(planes, steps):
        mixed[where] |= part != first[where]
    # Most voxels of a segmentation are alike.
    places = np.nonzero(mixed)
    values, exists = [], []
    for where, part in _combined(planes, steps):
        inside = np.logical_and.reduce([at < one.stop for at, one in zip(places, where, strict=True)])
        values.append(part[tuple(np.minimum(at, one.stop - 1) for at, one in zip(places, where, strict=True))])
        exists.append(inside)
    best = np.zeros(len(places[0]), np.int8)
    chosen = result[places]
    for value, is_there in zip(values, exists, strict=True):
        count = np.zeros(len(best), np.int8)
        for other, is_other in zip(values, exists, strict=True):
            count += (other == value) & is_other & is_there
        is_better = count > best
        best[is_better] = count[is_better]
        chosen[is_better] = value[is_better]
    result[places] = chosen
    return result


class LabelEvidence:
    """
    Decides whether a volume holds labels, from its planes in their order: src/core/levels/label-evidence.ts. Until it has
    seen enough mixed squares of 2 × 2 voxels, a volume counts as labels.
    """

    def __init__(self, kind: str, method: str | None) -> None:
        self._decided = "mean" if kind == "f" else method
        self._mixed = self._pairs = self._uniform = 0

    @property
    def is_decided(self) -> bool:
        return self._decided is not None

    @property
    def method(self) -> str:
        return self._decided or "mode"

    def add(self, planes: NDArray[Any]) -> None:
        """@param planes whole planes: the next ones of the volume, in order"""
        width, height = (length // 2 * 2 for length in planes.shape[:2])
        for z in range(planes.shape[2]):
            if self.is_decided:
                return
            plane = planes[:width, :height, z]
            a, b, c, d = plane[::2, ::2], plane[1::2, ::2], plane[::2, 1::2], plane[1::2, 1::2]
            mixed = (b != a) | (c != a) | (d != a)
            other = np.where(b != a, b, np.where(c != a, c, d))
            pairs = mixed & ((b == a) | (b == other)) & ((c == a) | (c == other)) & ((d == a) | (d == other))
            count = int(mixed.sum())
            self._mixed += count
            self._pairs += int(pairs.sum())
            self._uniform += mixed.size - count
            if self._mixed >= _FEWEST_MIXED and count > 0:
                is_labels = self._pairs >= _LEAST_PAIRS * self._mixed
                is_uniform = self._uniform >= _LEAST_UNIFORM * (self._uniform + self._mixed)
                self._decided = "mode" if is_labels and is_uniform else "mean"
