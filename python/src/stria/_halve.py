"""Halving volumes along some axes: docs/FORMAT.md, 'Levels', and src/core/levels/halve.ts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._header import Three
from ._modules import area, module

#: The module's numbers of types.
_TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8")
#: Are halved at a time; fit into the caches.
_AT_ONCE = 2**22
#: Squares of 2 × 2 voxels that are not of one value: fewer say nothing.
_FEWEST_MIXED = 256
#: In a segmentation most squares have one value, and almost all others have two.
_LEAST_UNIFORM, _LEAST_PAIRS = 1 / 2, 7 / 8
#: Many squares on a border have two voxels on each side. Squares around a single voxel, as in sparse images, do not.
_LEAST_HALVED = 1 / 8


def halve(planes: NDArray[Any], steps: Three, method: str) -> NDArray[Any]:
    """@param planes x, y, z. Results combine only existing voxels @param steps 2 along an axis that is halved, otherwise 1"""
    result = np.empty([-(-length // step) for length, step in zip(planes.shape, steps, strict=True)], planes.dtype, order="F")
    # Pieces of whole rows and planes where they fit.
    pieces, most = [], _AT_ONCE // planes.dtype.itemsize
    for length, step in zip(planes.shape, steps, strict=True):
        pieces.append(min(length, max(step, most // step * step)))
        most //= pieces[-1]
    for z in range(0, planes.shape[2], pieces[2]):
        for y in range(0, planes.shape[1], pieces[1]):
            for x in range(0, planes.shape[0], pieces[0]):
                piece = planes[x : x + pieces[0], y : y + pieces[1], z : z + pieces[2]]
                halved = _halve_piece(piece, steps, method)
                a, b, c = (first // step for first, step in zip((x, y, z), steps, strict=True))
                result[a : a + halved.shape[0], b : b + halved.shape[1], c : c + halved.shape[2]] = halved
    return result


def _halve_piece(piece: NDArray[Any], steps: Three, method: str) -> NDArray[Any]:
    dtype = piece.dtype.newbyteorder("<")
    voxels = np.ascontiguousarray(piece.T, dtype)
    shape = [-(-length // step) for length, step in zip(piece.shape, steps, strict=True)]
    length = int(np.prod(shape)) * dtype.itemsize
    row = piece.shape[0] * dtype.itemsize
    type, is_mode = _TYPES.index(dtype.str[1:]), int(method == "mode")
    values = [type, is_mode, area(0), row, row * piece.shape[1], *piece.shape, *steps, area(1)]
    halver = module("halve")
    halver.call("halve", [voxels, length], values)
    return np.frombuffer(halver.read([voxels.nbytes, length], 1, length), dtype).reshape(shape[::-1]).T


class LabelEvidence:
    """
    Decides whether a volume holds labels, from its planes in their order: src/core/levels/label-evidence.ts. Until it has
    seen enough mixed squares of 2 × 2 voxels, a volume counts as labels.
    """

    def __init__(self, kind: str, method: str | None) -> None:
        self._decided = "mean" if kind == "f" else method
        self._mixed = self._pairs = self._halved = self._uniform = 0

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
            like_first = (b == a).astype(np.uint8) + (c == a) + (d == a)
            self._halved += int((pairs & (like_first == 1)).sum())
            self._uniform += mixed.size - count
            if self._mixed >= _FEWEST_MIXED and count > 0:
                is_labels = self._pairs >= _LEAST_PAIRS * self._mixed and self._halved >= _LEAST_HALVED * self._pairs
                is_uniform = self._uniform >= _LEAST_UNIFORM * (self._uniform + self._mixed)
                self._decided = "mode" if is_labels and is_uniform else "mean"
