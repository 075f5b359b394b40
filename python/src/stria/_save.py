"""`stria.save`: an array as a .stria file."""

import io
import itertools
import math
import os
import re
import secrets
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._array import _pool
from ._choose import Choice, Encoded, choice_of, encode
from ._chunk_shape import default_chunk_shape, default_time_group, interleaved_shape
from ._codecs import WAVE, Geometry
from ._header import DTYPES, Box, Four, Grid, element_dims
from ._index import Ramp
from ._level_stack import LevelLayer, LevelStack, planned_levels
from ._leveled_writer import LeveledWriter, Run
from ._version import VERSION
from ._writer import Writer, header_bytes, js_number

_NIFTI_TYPES = {"u8": 2, "i16": 4, "i32": 8, "f32": 16, "f64": 64, "i8": 256, "u16": 512, "u32": 768}
_SPATIAL = {"unknown": 0, "m": 1, "mm": 2, "um": 3}
_TIME = {"unknown": 0, "s": 8, "ms": 16, "us": 24}
#: Two time points of at most this many bytes are compared, at about this many voxels.
_MOST_SURVEYED, _SAMPLED = 2**26, 2**16
_WRITER = f"stria {VERSION}"


def save(
    array: ArrayLike,
    path: str | os.PathLike[str],
    *,
    affine: ArrayLike | None = None,
    spacing: Sequence[float] | None = None,
    spatial_unit: str = "mm",
    time_unit: str = "s",
    codec: str = "auto",
    prefer: str = "balanced",
    axis: str | None = None,
    effort: str = "normal",
    levels: bool | str | None = None,
    threads: int | None = None,
) -> None:
    """
    Writes an array whose axes are x, y, z and t; the last axes may be missing. The file equals, byte for byte, the one that `stria compress`
    makes from this source with the same options. It replaces an existing file of the same name once it is complete.

    affine: 4 × 4, maps voxels to world coordinates (right-anterior-superior). With an affine the source is a NIfTI-2 file, otherwise a .npy
        file in Fortran order.
    spacing: distances along the axes; by default those of the affine, and 1 along t. Needs an affine.
    codec: auto, which chooses a codec for each chunk; or rle, rice, predict, huffman, labels, parle, wave, raw, or a chain such as
        rle+huffman.
    prefer: the goal of auto: 'size', 'balanced' or 'speed'.
    axis: for rle and parle, 'x', 'y' or 'z'; by default the axis with the fewest changes.
    effort: 'max' makes files a few percent smaller, but slower to encode and decode.
    levels: whether to store lower resolutions; by default for volumes above 256 MiB. 'mean', or 'mode' for labels, sets how voxels are
        combined; otherwise this is chosen from the voxels. Levels are made while the file is written, with one layer of chunks per level
        and up to 64 MiB of encoded ones in memory. The finest levels are left out if levels would take more than 15 % of the file.
    """
    voxels = np.asarray(array)
    type = next((name for name, kind in DTYPES.items() if voxels.dtype.newbyteorder("<") == np.dtype(kind)), None)
    if type is None:
        raise TypeError(f"an array of {voxels.dtype} cannot be saved; these can: {', '.join(np.dtype(k).name for k in DTYPES.values())}")
    if not 1 <= voxels.ndim <= 4 or voxels.size == 0:
        raise ValueError(f"an array of shape {voxels.shape} cannot be saved: 1 to 4 axes, each at least 1 long")
    choice = choice_of(codec, prefer, axis, effort)
    dims: Four = (*voxels.shape, *[1] * (4 - voxels.ndim))
    name = re.sub(r"[/\\:\x00-\x1f\x7f]", "_", os.path.splitext(os.path.basename(os.fspath(path)))[0])[-250:]
    if affine is None:
        if spacing is not None:
            raise ValueError("a spacing without an affine cannot be kept: pass affine=np.diag([dx, dy, dz, 1])")
        format, name, before = "npy", f"{name}.npy", _npy_header(voxels.shape, type)
        volume = _volume(type, [1.0] * 4, "unknown", "unknown", np.eye(4))
    else:
        matrix = _affine_of(affine)
        distances = _spacing_of(matrix, spacing)
        format, name = "nifti", f"{name}.nii"
        before = _nifti_header(voxels.shape, type, matrix, distances, spatial_unit, time_unit)
        volume = _volume(type, distances, spatial_unit, time_unit, matrix)
    elements = element_dims(dims, type)
    width = min(4, voxels.dtype.itemsize)
    volume_4d = voxels.reshape(dims)
    times = _time_group(volume_4d, elements, width, choice)
    shape = interleaved_shape(elements, width, times) if times > 1 else default_chunk_shape(elements, width)
    grid = Grid(elements, shape)
    interleaved = times > 1 and shape[3] > 1
    halvings = planned_levels(levels, dims, type, voxels.nbytes, [float(one) for one in volume["spacing"]], grid)
    stack = LevelStack(volume_4d, grid, halvings, levels) if halvings else None

    # A link stays, and the file that it names is replaced, as by the command.
    target = os.path.realpath(path)
    partial = f"{target}.{os.getpid()}-{secrets.token_hex(4)}.partial"
    try:
        with open(partial, "xb") as file:
            writer = Writer(file, header_bytes(dims, grid.chunk, interleaved, volume, format, _WRITER), grid, width)
            leveled = LeveledWriter(writer, len(stack.headers()), width) if stack else None
            with _Encoders(threads or os.cpu_count() or 1) as encoders:
                _add_chunks(writer, _Source(volume_4d, type, interleaved), grid, choice, stack, leveled, encoders)
            writer.finish(format, name, before, leveled.finish(stack.headers()) if stack and leveled else [])
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise


class _Source(NamedTuple):
    voxels: NDArray[Any]
    type: str
    interleaved: bool

    def encode(self, box: Box, choice: Choice) -> Encoded | Ramp:
        wide = 2 if self.type == "f64" else 1
        (x, y, z), (lx, ly, lz) = box.origin, box.shape
        depth = lz // box.times
        part = self.voxels[x // wide : (x + lx) // wide, y : y + ly, z : z + depth, box.t : box.t + box.times]
        ordered = part.transpose(2, 3, 1, 0) if self.interleaved else part.T
        octets = np.ascontiguousarray(ordered, np.dtype(DTYPES[self.type])).reshape(-1).view(np.uint8)
        return encode(octets, Geometry(box.shape, min(4, part.dtype.itemsize)), choice)


class _Encoders:
    """Encodes chunks in threads, and writes them in the order in which they were given."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pending: list[tuple[Future[Encoded | Ramp], Callable[[Encoded | Ramp], None]]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            while self._pending and kind is None:
                self._write_first()
        finally:
            for future, _ in self._pending:
                future.cancel()

    def add(self, source: _Source, box: Box, choice: Choice, write: Callable[[Encoded | Ramp], None]) -> None:
        if self._threads == 1:
            write(source.encode(box, choice))
            return
        self._pending.append((_pool(self._threads).submit(source.encode, box, choice), write))
        if len(self._pending) > 4 * self._threads:
            self._write_first()

    def finish(self) -> None:
        while self._pending:
            self._write_first()

    def _write_first(self) -> None:
        future, write = self._pending.pop(0)
        write(future.result())


def _add_chunks(
    writer: Writer,
    source: _Source,
    grid: Grid,
    choice: Choice,
    stack: LevelStack | None,
    leveled: LeveledWriter | None,
    encoders: _Encoders,
) -> None:
    """The chunks of the volume, and those of each level directly behind the last one that they depend on."""
    in_use: set[tuple[int, ...]] = set()

    def add(chunk: Encoded | Ramp) -> None:
        if isinstance(chunk, Encoded):
            in_use.add(tuple(stage.codec for stage in chunk.stages))
        writer.add(chunk)

    for number in range(grid.count):
        encoders.add(source, grid.box(number), choice, add)
        layer, rest = divmod(number + 1, grid.layer)
        if stack is None or leveled is None or rest != 0:
            continue
        stack.push_layer(layer - 1)
        due = stack.take(number + 1)
        if due:
            # Levels take the codecs of the chunks before them.
            encoders.finish()
        of_levels = choice._replace(in_use=frozenset(in_use) or None)
        for level, layers in itertools.groupby(due, key=lambda one: one.level):
            if level > leveled.left_out:
                _add_run(leveled, list(layers), source.type, of_levels, encoders)


def _add_run(leveled: LeveledWriter, layers: list[LevelLayer], type: str, choice: Choice, encoders: _Encoders) -> None:
    """Layers of a level that are due at the same place."""
    run = Run(layers[0].level, layers[0].first, [])
    count = sum(one.grid.layer for one in layers)

    def add(chunk: Encoded | Ramp) -> None:
        run.chunks.append(chunk)
        if len(run.chunks) == count:
            leveled.add(run)

    for one in layers:
        planes = _Source(one.voxels[:, :, :, np.newaxis], type, False)
        for own in range(one.first, one.first + one.grid.layer):
            (x, y, _), _, shape, times = one.grid.box(own)
            encoders.add(planes, Box((x, y, 0), 0, shape, times), choice, add)


def _time_group(voxels: NDArray[Any], elements: Four, width: int, choice: Choice) -> int:
    """How many time points chunks interleave: src/core/stream/compress/compress.ts."""
    if choice.codec is not None:
        return default_time_group(elements, width) if choice.codec is WAVE else 1
    is_for_size = choice.prefer == "size" or (choice.is_max and choice.prefer != "speed")
    if not is_for_size or default_time_group(elements, width) == 1 or not _is_steady(voxels):
        return 1
    return default_time_group(elements, width)


def _is_steady(voxels: NDArray[Any]) -> bool:
    """
    Whether sampled voxels differ less from those a time point before than from their neighbours a slice before (or a column, in
    pictures): src/core/stream/compress/time-survey.ts.
    """
    x, y, z, t = voxels.shape
    count = x * y * z
    if t < 2 or 2 * count * voxels.dtype.itemsize > _MOST_SURVEYED:
        return False
    first, second = (voxels[..., time].reshape(-1, order="F") for time in (0, 1))
    distance = x * y if z > 1 else 1
    places = np.arange(distance, count, max(1, count // _SAMPLED) | 1)
    with np.errstate(invalid="ignore", over="ignore"):
        here = first[places].astype(np.float64)
        in_space = here - first[places - distance].astype(np.float64)
        in_time = second[places].astype(np.float64) - here
    # Missing data says nothing.
    known = np.isfinite(in_space) & np.isfinite(in_time)
    if not known.any():
        return False
    # Summed one after another, as in JavaScript, so that all bits agree.
    in_space, in_time = (np.add.accumulate(np.abs(one[known]))[-1] for one in (in_space, in_time))
    return bool(in_time < in_space)


def _volume(type: str, spacing: Sequence[float], spatial: str, time: str, affine: NDArray[np.float64]) -> dict[str, Any]:
    return {
        "type": type,
        "spacing": [js_number(one) for one in spacing],
        "spatialUnit": spatial,
        "timeUnit": time,
        "affine": [js_number(one) for one in affine[:3].reshape(-1).tolist()],
        "slope": js_number(1),
        "intercept": js_number(0),
    }


def _affine_of(affine: ArrayLike) -> NDArray[np.float64]:
    matrix = np.array(affine, np.float64)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all() or matrix[3].tolist() != [0, 0, 0, 1]:
        raise ValueError("an affine is 4 × 4, of finite numbers, and its last row is 0 0 0 1")
    if np.linalg.det(matrix[:3, :3]) == 0:
        raise ValueError("the affine maps the volume to a plane, a line or a point")
    return matrix


def _spacing_of(affine: NDArray[np.float64], spacing: Sequence[float] | None) -> list[float]:
    given = list(spacing) if spacing is not None else [math.sqrt(sum(one * one for one in column)) for column in affine[:3, :3].T.tolist()]
    if not 1 <= len(given) <= 4 or not all(math.isfinite(one) and one > 0 for one in given):
        raise ValueError("a spacing is one to four positive distances")
    return [float(one) for one in given] + [1.0] * (4 - len(given))


def _npy_header(shape: tuple[int, ...], type: str) -> bytes:
    """In Fortran order: x is the first axis and the fastest."""
    header = io.BytesIO()
    description = np.lib.format.dtype_to_descr(np.dtype(DTYPES[type]))
    np.lib.format.write_array_header_1_0(header, {"descr": description, "fortran_order": True, "shape": shape})
    return header.getvalue()


def _nifti_header(
    shape: tuple[int, ...], type: str, affine: NDArray[np.float64], spacing: Sequence[float], spatial: str, time: str
) -> bytes:
    """NIfTI-2, because its affine has doubles and its lengths have 64 bits."""
    if spatial not in _SPATIAL or time not in _TIME:
        raise ValueError(f"units are {', '.join(_SPATIAL)} of space and {', '.join(_TIME)} of time")
    header = bytearray(544)
    struct.pack_into("<i8shh", header, 0, 540, b"n+2\0\r\n\x1a\n", _NIFTI_TYPES[type], 8 * np.dtype(DTYPES[type]).itemsize)
    struct.pack_into("<8q", header, 16, len(shape), *shape, *[1] * (7 - len(shape)))
    struct.pack_into("<8d", header, 104, 1, *spacing, 1, 1, 1)
    struct.pack_into("<qdd", header, 168, 544, 1, 0)
    # The sform's code 2: aligned to something, as nibabel's.
    struct.pack_into("<ii", header, 344, 0, 2)
    struct.pack_into("<12d", header, 400, *affine[:3].reshape(-1).tolist())
    struct.pack_into("<i", header, 500, _SPATIAL[spatial] + _TIME[time])
    return bytes(header)
