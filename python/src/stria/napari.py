"""A reader for napari: the manifest napari.yaml names it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ._array import Array, open

Layer = tuple[Any, dict[str, Any], str]


def reader(path: str | list[str]) -> Callable[[str | list[str]], list[Layer]] | None:
    """The function that makes napari's layers, or None for other files."""
    paths = [path] if isinstance(path, str) else path
    return _layers if paths and all(one.lower().endswith(".stria") for one in paths) else None


def _layers(path: str | list[str]) -> list[Layer]:
    return [_layer(one) for one in ([path] if isinstance(path, str) else path)]


def _layer(path: str) -> Layer:
    array = open(path)
    # napari's axes are slowest first, and its world is that of the voxels: spacing alone.
    scale = array.spacing[::-1]
    return _Slowest(array), {"name": path.replace("\\", "/").rpartition("/")[2], "scale": scale, "rgb": False}, "image"


class _Slowest:
    """An Array with its axes in reverse: t, z, y, x. It still decodes only what is asked for."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape, self.dtype, self.ndim = array.shape[::-1], array.dtype, array.ndim
        self.chunks = array.chunks[::-1]
        self.size, self.nbytes = array.size, array.nbytes

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        return np.asarray(self._array[(*([...] if Ellipsis not in keys else []), *keys[::-1])]).T

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._array.__array__(dtype, copy).T
