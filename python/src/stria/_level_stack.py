"""Making the levels of a volume: src/core/levels/level-plan.ts, level-geometry.ts and level-stack.ts."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._halve import LabelEvidence, halve
from ._header import Four, Grid, Three, element_dims, most_chunks

#: A level at most this long along all axes is the last one.
_SMALLEST = 128
#: Each stored level but the last combines at least this many voxels of the stored one before.
_LEAST_COMBINED = 8
#: Larger volumes get levels unless the caller says otherwise.
_LEAST_BYTES = 2**28
#: Layers of the first level are written together up to this size; of each further level, up to a quarter of it.
_MOST_RUN_BYTES = 2**25
_MOST_RUN_CHUNKS = 4096
#: Planes are copied together, because those of an array in C order lie far apart.
_COPIED = 2**25


class Halving(NamedTuple):
    dims: Three
    factors: Three
    steps: Three
    #: From 1; None if it is only a step on the way to the next one.
    level: int | None
    grid: Grid


class LevelLayer(NamedTuple):
    """One layer of chunks of a level, with its voxels: x, y, z."""

    level: int
    grid: Grid
    first: int
    voxels: NDArray[Any]
    #: Its chunks are written directly after as many chunks of the volume.
    due: int


def planned_levels(
    wish: bool | str | None, dims: Four, type: str, nbytes: int, spacing: Sequence[float], grid: Grid
) -> list[Halving]:
    """Empty if the file gets no levels. @raise ValueError if it can have none, but they were asked for"""
    if isinstance(wish, np.bool_):
        wish = bool(wish)
    if not (wish is None or isinstance(wish, bool) or wish in ("mean", "mode")):
        raise ValueError(f"levels is True, False, 'mean' or 'mode', not {wish!r}; None makes them of volumes above 256 MiB")
    if wish is False or (wish is None and nbytes <= _LEAST_BYTES):
        return []
    if grid.chunk[3] != 1:
        if wish is None:
            return []
        raise ValueError("a file has levels only if each of its chunks belongs to one time point, and here they hold several")
    if wish == "mode" and type.startswith("f"):
        raise ValueError("floating-point volumes hold no labels, so their levels are means")
    return _planned(dims, type, spacing, grid)


def _planned(dims: Four, type: str, spacing: Sequence[float], grid: Grid) -> list[Halving]:
    geometry = _geometry((dims[0], dims[1], dims[2]), spacing)
    planned: list[Halving] = []
    level, before = 0, 1
    for index, (halved, factors, steps) in enumerate(geometry):
        elements = element_dims((*halved, dims[3]), type)
        x, y, z = (min(a, b) for a, b in zip(grid.chunk[:3], elements[:3], strict=True))
        own = Grid(elements, (x, y, z, 1))
        if own.count > most_chunks(elements):
            break
        is_stored = math.prod(factors) >= _LEAST_COMBINED * before or index + 1 == len(geometry)
        if is_stored:
            level, before = level + 1, math.prod(factors)
        planned.append(Halving(halved, factors, steps, level if is_stored else None, own))
    while planned and planned[-1].level is None:
        planned.pop()
    return planned


def _geometry(dims: Three, spacing: Sequence[float]) -> list[tuple[Three, Three, Three]]:
    """Lengths, factors and steps of each halving, until no axis is longer than 128."""
    found: list[tuple[Three, Three, Three]] = []
    factors: Three = (1, 1, 1)
    while max(dims) > _SMALLEST:
        distances = [one * factor for one, factor in zip(spacing[:3], factors, strict=True)]
        shortest = min(one for one, length in zip(distances, dims, strict=True) if length > 1)
        # The axes with voxels less than twice as long as along the axis with the shortest ones.
        a, b, c = (2 if length > 1 and one < 2 * shortest else 1 for one, length in zip(distances, dims, strict=True))
        steps: Three = (a, b, c)
        dims = (-(-dims[0] // a), -(-dims[1] // b), -(-dims[2] // c))
        factors = (factors[0] * a, factors[1] * b, factors[2] * c)
        found.append((dims, factors, steps))
    return found


class LevelStack:
    """Makes all levels of a volume from its planes, in their order. It holds up to one run of layers of each level."""

    def __init__(self, voxels: NDArray[Any], grid: Grid, halvings: list[Halving], wish: bool | str | None) -> None:
        self._voxels, self._grid = voxels, grid
        self._evidence = LabelEvidence(voxels.dtype.kind, wish if isinstance(wish, str) else None)
        self._ready: list[LevelLayer] = []
        self._halvings = halvings
        following: _Halver | None = None
        for index in range(len(halvings) - 1, -1, -1):
            halving = halvings[index]
            depth = voxels.shape[2] if index == 0 else halvings[index - 1].dims[2]
            width = min(4, voxels.dtype.itemsize)
            layers = None if halving.level is None else _Layers(halving, halving.level, grid, self._ready, width)
            following = _Halver(depth, halving.steps, self._evidence, index == 0, layers, following)
        self._first = following

    def push_layer(self, layer: int) -> None:
        """Takes the planes of a layer of the volume's chunks. Layers come in order."""
        t, k = divmod(layer, self._grid.counts[2])
        depth = self._grid.chunk[2]
        end = min((k + 1) * depth, self._voxels.shape[2])
        plane = self._voxels.shape[0] * self._voxels.shape[1] * self._voxels.dtype.itemsize
        together = max(1, _COPIED // plane)
        for z in range(k * depth, end, together):
            planes = np.asfortranarray(self._voxels[:, :, z : min(z + together, end), t])
            if self._first:
                self._first.push(planes.astype(planes.dtype.newbyteorder("<"), copy=False))

    def take(self, due: int) -> list[LevelLayer]:
        """The layers that are complete, in the order in which they are written, up to `due`."""
        taken = sorted((one for one in self._ready if one.due <= due), key=lambda one: (one.due, one.level))
        self._ready[:] = [one for one in self._ready if one.due > due]
        return taken

    def headers(self) -> list[tuple[int, str, Three, Three]]:
        """Number, method, factors and chunk shape of each level, once all voxels were seen."""
        return [
            (one.level, self._evidence.method, one.factors, (one.grid.chunk[0], one.grid.chunk[1], one.grid.chunk[2]))
            for one in self._halvings
            if one.level is not None
        ]


class _Halver:
    """Halves one level's planes, collects the result in layers of chunks, and passes it to the next halving."""

    def __init__(
        self, depth: int, steps: Three, evidence: LabelEvidence, is_first: bool, layers: "_Layers | None", following: "_Halver | None"
    ) -> None:
        self._depth, self._steps, self._evidence = depth, steps, evidence
        self._is_first, self._layers, self._next = is_first, layers, following
        self._rest: NDArray[Any] | None = None
        #: The first plane that was not halved yet.
        self._z = 0

    def push(self, planes: NDArray[Any]) -> None:
        """@param planes of one time point"""
        if self._rest is not None:
            planes = np.concatenate([self._rest, planes], axis=2)
        step, count = self._steps[2], planes.shape[2]
        # At the end of the time point a group may be shorter.
        whole = count if self._z + count == self._depth else count // step * step
        self._rest = planes[:, :, whole:].copy(order="F") if whole < count else None
        at = 0
        while at < whole:
            # One group of planes after another while nothing is decided: each is judged before it is halved.
            end = whole if self._evidence.is_decided else min(at + step, whole)
            group = planes[:, :, at:end]
            if self._is_first:
                self._evidence.add(group)
            halved = halve(group, self._steps, self._evidence.method)
            self._z = (self._z + end - at) % self._depth
            at = end
            if self._layers:
                self._layers.push(halved)
            if self._next:
                self._next.push(halved)


class _Layers:
    """Collects the planes of a level until a layer of its chunks is complete."""

    def __init__(self, halving: Halving, level: int, volume: Grid, ready: list[LevelLayer], element_bytes: int) -> None:
        self._halving, self._level, self._volume, self._ready = halving, level, volume, ready
        self._layer = 0
        self._planes: list[NDArray[Any]] = []
        grid = halving.grid
        layer_bytes = math.prod((*grid.dims[:2], min(grid.chunk[2], grid.dims[2]))) * element_bytes
        fitting = _MOST_RUN_BYTES // 4 ** (level - 1) // layer_bytes
        #: How many layers a run has; the last one may have fewer.
        self._run = max(1, min(fitting, _MOST_RUN_CHUNKS // grid.layer))

    def push(self, planes: NDArray[Any]) -> None:
        grid, dims = self._halving.grid, self._halving.dims
        while planes.shape[2] > 0:
            deep = grid.chunk[2]
            wanted = min(deep, dims[2] - self._layer % grid.counts[2] * deep) - sum(one.shape[2] for one in self._planes)
            self._planes.append(planes[:, :, :wanted])
            is_complete = planes.shape[2] >= wanted
            planes = planes[:, :, wanted:]
            if is_complete:
                self._end(np.concatenate(self._planes, axis=2))

    def _end(self, voxels: NDArray[Any]) -> None:
        grid, volume = self._halving.grid, self._volume
        # Layers are written in runs. The last plane of the volume that the last layer of the run depends on:
        run_end = (self._layer // self._run + 1) * self._run
        t, k = divmod(min(run_end, grid.counts[2] * grid.counts[3]) - 1, grid.counts[2])
        last = min(volume.dims[2], (k + 1) * grid.chunk[2] * self._halving.factors[2])
        due = (t * volume.counts[2] + -(-last // volume.chunk[2])) * volume.layer
        self._ready.append(LevelLayer(self._level, grid, self._layer * grid.layer, voxels, due))
        self._planes = []
        self._layer += 1
