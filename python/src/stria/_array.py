"""`stria.open`: a volume in a file, as an array that reads and decodes only the requested voxels."""

import math
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _records
from ._codecs import Geometry, Octets, checksum, decode
from ._header import DTYPES, Box, Header, check_version, parse_header
from ._index import Index, Lost, Ramp
from ._levels import read_levels
from ._source import Source, read_exactly, source_of
from .errors import CorruptError, StriaError

#: Length of the first and the last read of a file, which usually cover the header and the whole index.
_EDGE = 65_536

_pool_lock = threading.Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def _forget_pools() -> None:
    """The child of a fork has no threads, so it needs pools of its own."""
    global _pool_lock
    _pool_lock = threading.Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)


def _pool(threads: int) -> ThreadPoolExecutor:
    with _pool_lock:
        return _pools.setdefault(threads, ThreadPoolExecutor(threads, thread_name_prefix="stria"))


@dataclass(frozen=True)
class _Axis:
    """Indices `first`, `first + step` … along an axis; `step` is from 1."""

    first: int
    step: int
    count: int
    is_reversed: bool
    is_dropped: bool

    def within(self, start: int, end: int) -> tuple[slice, slice] | None:
        """The indices from `start` up to `end`: as positions in the selection, and relative to `start`."""
        low = max(0, -(-(start - self.first) // self.step))
        high = min(self.count, -(-(end - self.first) // self.step))
        if low >= high:
            return None
        place = self.first + low * self.step - start
        return slice(low, high), slice(place, place + (high - low - 1) * self.step + 1, self.step)


class Array:
    """
    A volume in a .stria file. Its axes are x, y, z and, if it has several time points or channels, t, as in its affine and in
    nibabel. `array[10:20, :, 5]` is a NumPy array of the stored values. It decodes only the chunks it needs, several at once.
    """

    #: The stored values' type. Physical values are `slope * stored + intercept`.
    dtype: np.dtype[Any]
    #: Lengths of a chunk along each axis, in the form that dask expects.
    chunks: tuple[int, ...]

    def __init__(
        self,
        source: Source,
        threads: int | None = None,
        fill: int | None = None,
        level: int = 0,
        found: tuple[Header, Index] | None = None,
    ) -> None:
        self._source = source
        self._threads = threads or os.cpu_count() or 1
        self._fill = fill
        self._level = level
        self._header, self._index = found or _open(source, level)
        self._grid = self._header.grid
        self._checked: set[tuple[Ramp, tuple[int, int, int]]] = set()
        self.dtype = np.dtype(DTYPES[self._header.type])
        self._wide = 2 if self._header.type == "f64" else 1
        axes = 4 if self._header.dims[3] > 1 else 3
        chunk = (self._grid.chunk[0] // self._wide, *self._grid.chunk[1:])
        self._shape = self._header.dims[:axes]
        self.chunks = tuple(min(c, d) for c, d in zip(chunk, self._shape, strict=False))

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def size(self) -> int:
        return math.prod(self._shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def affine(self) -> NDArray[np.float64]:
        """Maps voxel indices (x, y, z, 1) to world coordinates, right-anterior-superior: 4 × 4."""
        return np.vstack([np.array(self._header.affine).reshape(3, 4), [0.0, 0.0, 0.0, 1.0]])

    @property
    def spacing(self) -> tuple[float, ...]:
        """Distances between voxel centres along each axis, in `metadata['spatialUnit']` and `metadata['timeUnit']`."""
        return self._header.spacing[: self.ndim]

    @property
    def slope(self) -> float:
        return self._header.slope

    @property
    def intercept(self) -> float:
        return self._header.intercept

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The header's object `volume` (docs/FORMAT.md, 'HEAD'), with the source's format and the program that wrote the file."""
        return {**self._header.volume, "source": self._header.source, "writer": self._header.writer}

    @property
    def levels(self) -> "list[Array]":
        """The volume at lower resolutions, from the finest to the coarsest; empty if the file has none. They share its file."""
        if self._level > 0:
            raise ValueError("this is itself a level; the volume lists them")
        # Read once for all levels: on a server each read is a request.
        levels = enumerate(_open_levels(self._source), 1)
        return [Array(self._source, self._threads, self._fill, level, found) for level, found in levels]

    @property
    def lost_chunks(self) -> int:
        """Number of chunks that were lost in the file from which this one was recovered."""
        return self._index.lost

    def __len__(self) -> int:
        return self._shape[0]

    def __repr__(self) -> str:
        return f"<stria.Array {'×'.join(map(str, self._shape))} {self._header.type}>"

    def __enter__(self) -> "Array":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._source.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """For dask and multiprocessing: a copy opens the file again."""
        return Array, (self._source, self._threads, self._fill, self._level)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a .stria file has to be decoded, so its array is always a copy")
        whole: NDArray[Any] = self[...]
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __getitem__(self, key: Any) -> Any:
        axes = self._axes(key)
        axes += [_Axis(0, 1, 1, False, True)] * (4 - len(axes))
        selected: NDArray[Any] = np.empty([axis.count for axis in axes], self.dtype, order="F")
        self._run(self._numbers(axes), selected, axes)
        return selected[tuple(0 if a.is_dropped else slice(None, None, -1) if a.is_reversed else slice(None) for a in axes)]

    def _axes(self, key: Any) -> list[_Axis]:
        keys = list(key) if isinstance(key, tuple) else [key]
        if sum(one is Ellipsis for one in keys) > 1:
            raise IndexError("an index has one ellipsis at most")
        if not any(one is Ellipsis for one in keys):
            keys.append(Ellipsis)
        at = next(i for i, one in enumerate(keys) if one is Ellipsis)
        missing = self.ndim - (len(keys) - 1)
        if missing < 0:
            raise IndexError(f"{len(keys) - 1} indices for {self.ndim} axes")
        keys[at : at + 1] = [slice(None)] * missing
        return [_axis_of(one, length, axis) for axis, (one, length) in enumerate(zip(keys, self._shape, strict=True))]

    def _numbers(self, axes: list[_Axis]) -> Iterator[int]:
        """The chunks that hold a selected voxel."""
        if any(axis.count == 0 for axis in axes):
            return
        lengths = (self._grid.chunk[0] // self._wide, *self._grid.chunk[1:])
        touched = [
            sorted({(axis.first + i * axis.step) // length for i in range(axis.count)})
            if axis.step >= length
            else range(axis.first // length, (axis.first + (axis.count - 1) * axis.step) // length + 1)
            for axis, length in zip(axes, lengths, strict=True)
        ]
        nx, ny, nz, _ = self._grid.counts
        for l in touched[3]:
            for k in touched[2]:
                for j in touched[1]:
                    for i in touched[0]:
                        yield ((l * nz + k) * ny + j) * nx + i

    def _run(self, numbers: Iterator[int], selected: NDArray[Any], axes: list[_Axis]) -> None:
        """Decodes chunks in threads, a few more at a time than there are threads."""
        if self._threads == 1:
            for number in numbers:
                self._place(number, selected, axes)
            return
        pending: list[Future[None]] = []
        pool = _pool(self._threads)
        try:
            for number in numbers:
                pending.append(pool.submit(self._place, number, selected, axes))
                if len(pending) > 4 * self._threads:
                    pending.pop(0).result()
            while pending:
                pending.pop(0).result()
        finally:
            for future in pending:
                future.cancel()

    def _place(self, number: int, selected: NDArray[Any], axes: list[_Axis]) -> None:
        """Decodes a chunk, and copies the requested voxels."""
        box = self._grid.box(number)
        try:
            chunk = self._chunk(number, box)
        except StriaError as error:
            raise type(error)(f"chunk {number + 1}: {error}") from error
        width, height, depth = box.shape[0] // self._wide, box.shape[1], box.shape[2] // box.times
        if self._header.interleaved:
            voxels = chunk.reshape(depth, box.times, height, width).transpose(3, 2, 0, 1)
        else:
            voxels = chunk.reshape(box.times, depth, height, width).T
        starts = (box.origin[0] // self._wide, box.origin[1], box.origin[2], box.t)
        both = [
            axis.within(start, start + length)
            for axis, start, length in zip(axes, starts, (width, height, depth, box.times), strict=True)
        ]
        if None not in both:
            selected[tuple(one[0] for one in both if one)] = voxels[tuple(one[1] for one in both if one)]

    def _chunk(self, number: int, box: Box) -> NDArray[Any]:
        """A chunk's voxels in the file's order. @raise CorruptError, UnsupportedError"""
        chunk = Geometry(box.shape, self._header.width)
        entry = self._index.entry(number)
        if isinstance(entry, Lost):
            if self._fill is None:
                raise CorruptError("it was lost in the file from which this one was recovered; open(…, fill=0) reads 0 there")
            return np.full(chunk.nbytes // self.dtype.itemsize, self._fill, self.dtype)
        if isinstance(entry, Ramp):
            voxels = _ramp(entry, chunk)
            # Neighbouring constant chunks are often equal, and need not be checked again.
            if (entry, box.shape) not in self._checked:
                self._check(voxels, entry.checksum, chunk)
                if len(self._checked) < 4096:
                    self._checked.add((entry, box.shape))
            return voxels.view(self.dtype)
        octets = read_exactly(self._source, entry.offset, entry.length)
        stages, sums, payload = _records.parse_chunk(octets, entry.offset, number, self._level)
        if stages != entry.stages or len(payload) != entry.payload:
            raise CorruptError("its record and the index disagree about its codec or its length")
        voxels = decode(payload, stages, chunk)
        self._check(voxels, sums, chunk)
        return voxels.view(self.dtype)

    def _check(self, voxels: Octets, sums: tuple[int, int], chunk: Geometry) -> None:
        if checksum(voxels, chunk.shape[0] * chunk.width) != sums:
            raise CorruptError("its voxels do not match their checksum: the file is damaged")


def _axis_of(key: Any, length: int, axis: int) -> _Axis:
    if isinstance(key, slice):
        indices = range(*key.indices(length))
        if indices.step < 0:
            indices = indices[::-1]
            return _Axis(indices.start, indices.step, len(indices), True, False)
        return _Axis(indices.start, indices.step, len(indices), False, False)
    try:
        index = key.__index__()
    except (AttributeError, TypeError):
        raise IndexError(f"axis {axis} takes a number or a slice, not {type(key).__name__}; np.asarray reads everything") from None
    if not -length <= index < length:
        raise IndexError(f"index {index} is outside axis {axis} of length {length}")
    return _Axis(index % length, 1, 1, False, True)


def _ramp(ramp: Ramp, chunk: Geometry) -> Octets:
    kind: Any = f"<u{chunk.width}"
    if not any(ramp.steps):
        return np.full(chunk.elements, ramp.first, kind).view(np.uint8)
    x, y, z = (np.arange(length, dtype=np.uint64) * np.uint64(step) for length, step in zip(chunk.shape, ramp.steps, strict=True))
    sums = np.uint64(ramp.first) + z[:, None, None] + y[None, :, None] + x[None, None, :]
    # Elements that wrap as the machine's own do need no modulus.
    return np.ascontiguousarray(sums % np.uint64(ramp.modulus) if ramp.modulus else sums).astype(kind).reshape(-1).view(np.uint8)


def _open(source: Source, level: int) -> tuple[Header, Index]:
    """The header and the index of the volume or a level."""
    if level == 0:
        return _open_volume(source)[:2]
    levels = _open_levels(source)
    if not 0 < level <= len(levels):
        raise ValueError(f"there is no level {level}: the file has {len(levels)}")
    return levels[level - 1]


def _open_levels(source: Source) -> list[tuple[Header, Index]]:
    header, _, start, (offset, length) = _open_volume(source)
    return read_levels(source, header, start, offset + length, offset)


def _open_volume(source: Source) -> tuple[Header, Index, int, tuple[int, int]]:
    """docs/FORMAT.md, 'Reading', steps 1 to 3. @return with where chunk records begin, and the place of the index"""
    start = read_exactly(source, 0, min(source.size, _EDGE))
    if start[:8] != _records.SIGNATURE:
        if start[1:6] == _records.SIGNATURE[1:6]:
            raise CorruptError("the file was altered by a transfer as text; transfer it again as binary")
        raise CorruptError("this is not a .stria file: its signature is missing")
    if len(start) < 64:
        raise CorruptError(f"the file ends within its header, after {source.size} bytes, so nothing can be read from it")
    major, minor = int.from_bytes(start[8:10], "little"), int.from_bytes(start[10:12], "little")
    if any(start[12:16]):
        raise CorruptError("the first 16 bytes are damaged")
    check_version(major, minor)
    damaged = CorruptError("the header at the start is damaged or cut off; 'stria recover' may find its copy near the end")
    length = _records.record_length(start[16:], 16)
    if length is None or start[16:20] != b"HEAD" or length > _records.MAX_TEXT + 4200:
        raise damaged
    try:
        record = _records.parse_record(read_exactly(source, 16, length), 16, "HEAD")
    except CorruptError as error:
        raise damaged from error
    header = parse_header(record.body)
    if header.version != (major, minor):
        raise CorruptError(f"the file gives two versions, {major}.{minor} and {header.version[0]}.{header.version[1]}")

    edge = max(0, source.size - _EDGE)
    end = start if edge == 0 else read_exactly(source, edge, source.size - edge)
    offset = int.from_bytes(end[-16:-8], "little")
    if end[-8:] != _records.END or offset % 8 != 0 or not 16 + length <= offset < source.size:
        raise CorruptError("the file's end is missing or damaged; 'stria recover' can save every intact chunk")

    def read(at: int, count: int) -> bytes:
        if at >= edge and at + count <= source.size:
            return end[at - edge : at - edge + count]
        return read_exactly(source, at, count)

    tail = _records.parse_tail(read(offset, source.size - offset), offset)
    chunks = header.grid.count
    if tail.chunks != chunks:
        raise CorruptError(f"the header describes {chunks} chunks, but the file has {tail.chunks}")
    index = _records.parse_record(read(*tail.index_record), tail.index_record[0], "INDX")
    own = Index(index.body, chunks, header.width, 16 + length, tail.index_record[0])
    return header, own, 16 + length, tail.index_record


def open(
    file: "str | os.PathLike[str] | IO[bytes] | Source", *, threads: int | None = None, fill: int | None = None, level: int = 0
) -> Array:
    """
    Opens a .stria file: a path, an http(s) address whose server answers range requests, or a file object.

    threads: number of decoding threads; by default one per core.
    level: 0 for the volume itself, 1 for the finest of the lower resolutions in the file, and so on. ValueError if the file lacks it.
    fill: the value of chunks that were lost before the file was recovered. Without it, reading them raises CorruptError.
    Raises CorruptError, UnsupportedError, NotReadableError.
    """
    source = source_of(file)
    try:
        return Array(source, threads, fill, level)
    except BaseException:
        source.close()
        raise
