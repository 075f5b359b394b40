"""The header: docs/FORMAT.md, 'HEAD', and how voxels are cut into chunks."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .errors import CorruptError, UnsupportedError

DTYPES = {"u8": "<u1", "i8": "<i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4", "f32": "<f4", "f64": "<f8"}
FORMATS = (
    *("nifti", "nrrd", "mha", "mgh", "npy", "mrc", "vti", "raw", "png", "tiff", "analyze"),
    # Files of these keep only the values.
    *("zarr", "hdf5", "dicom", "ome-tiff"),
)
FEATURES = ("pictures", "stored", "files", "interleaved", "deflated")
_ODD = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}

Four = tuple[int, int, int, int]
Three = tuple[int, int, int]


class Box(NamedTuple):
    """A chunk's first element along x, y, z, its first time point, its lengths, and the number of its time points."""

    origin: Three
    t: int
    shape: Three
    times: int


class Grid:
    """The chunks of a volume, in codec elements."""

    def __init__(self, dims: Four, chunk: Four) -> None:
        self.dims, self.chunk = dims, chunk
        self.counts: Four = tuple(-(-d // c) for d, c in zip(dims, chunk, strict=True))  # type: ignore[assignment]
        self.count = math.prod(self.counts)
        self.layer = self.counts[0] * self.counts[1]

    def box(self, number: int) -> Box:
        rest, i = divmod(number, self.counts[0])
        rest, j = divmod(rest, self.counts[1])
        l, k = divmod(rest, self.counts[2])
        (x, y, z, t), (dx, dy, dz, dt) = self.chunk, self.dims
        times = min(t, dt - l * t)
        depth = min(z, dz - k * z) * times
        return Box((i * x, j * y, k * z), l * t, (min(x, dx - i * x), min(y, dy - j * y), depth), times)


class Header(NamedTuple):
    dims: Four
    type: str
    spacing: tuple[float, float, float, float]
    spatial_unit: str
    time_unit: str
    affine: tuple[float, ...]
    slope: float
    intercept: float
    chunk: Four
    source: str
    writer: str
    #: The object `volume`, as it is in the file.
    volume: Mapping[str, Any]
    version: tuple[int, int]
    #: Whether the planes of a chunk's time points are interleaved, not stacked.
    interleaved: bool

    @property
    def width(self) -> int:
        """Bytes of a codec element."""
        return min(4, int(DTYPES[self.type][2]))

    @property
    def grid(self) -> Grid:
        return Grid(element_dims(self.dims, self.type), self.chunk)


def element_dims(dims: Sequence[int], type: str) -> Four:
    return (2 * dims[0] if type == "f64" else dims[0], dims[1], dims[2], dims[3])


def number(value: Any, what: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and value in _ODD:
        return _ODD[value]
    raise CorruptError(f"{what} is {json.dumps(value)}, not a number")


def _list(value: Any, what: str, length: int) -> list[Any]:
    if not isinstance(value, list) or len(value) != length:
        raise CorruptError(f"{what} is not a list of {length}")
    return value


def _count(value: Any, what: str, least: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**53:
        raise CorruptError(f"{what} is {json.dumps(value)}, not a whole number from {least}")
    return value


def _word(value: Any, what: str, words: Sequence[str]) -> str:
    if not isinstance(value, str) or not value:
        raise CorruptError(f"{what} is not a text")
    if value not in words:
        raise UnsupportedError(f"{what} is {json.dumps(value)}, which this version of Stria does not know ({', '.join(words)})")
    return value


def parse_json(body: bytes | memoryview, what: str) -> dict[str, Any]:
    try:
        value = json.loads(bytes(body).decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise CorruptError(f"{what} is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"{what} is not JSON") from error
    if not isinstance(value, dict):
        raise CorruptError(f"{what} is not an object")
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def check_version(major: int, minor: int) -> None:
    if major != 1:
        raise UnsupportedError(f"the file has container version {major}.{minor}; this Stria reads versions 1.x")


def parse_header(body: bytes | memoryview) -> Header:
    """@raise UnsupportedError for a later version or an unknown feature, by name; CorruptError"""
    what = "the header"
    text = parse_json(body, what)
    if text.get("format") != "stria":
        raise CorruptError(f"{what} is not that of a .stria file")
    major, minor = (_count(one, f"{what}'s version", 0) for one in _list(text.get("version"), f"{what}'s version", 2))
    check_version(major, minor)
    requires = text.get("requires")
    if not isinstance(requires, list) or not all(isinstance(name, str) for name in requires):
        raise CorruptError(f"{what}'s requires is not a list of names")
    if "part" in requires:
        raise UnsupportedError("the file holds only one part of its volume; join all parts with 'stria merge' first")
    unknown = [name for name in requires if name not in FEATURES]
    if unknown:
        raise UnsupportedError(
            f"the file needs features that this version of Stria lacks: {', '.join(unknown)}. Use a newer Stria"
        )
    volume = text.get("volume")
    if not isinstance(volume, dict):
        raise CorruptError(f"{what}'s volume is not an object")
    dims: Four = tuple(_count(one, f"{what}'s dims", 1) for one in _list(volume.get("dims"), f"{what}'s dims", 4))  # type: ignore[assignment]
    chunk: Four = tuple(_count(one, f"{what}'s chunk", 1) for one in _list(text.get("chunk"), f"{what}'s chunk", 4))  # type: ignore[assignment]
    type = _word(volume.get("type"), f"{what}'s type", tuple(DTYPES))
    if math.prod(dims) * int(DTYPES[type][2]) >= 2**53:
        raise CorruptError(f"{what}'s dims, {'×'.join(map(str, dims))}, are more voxels than can be counted")
    source = _word(text.get("source"), f"{what}'s source", FORMATS)
    feature = {"png": "pictures", "tiff": "pictures", "dicom": "files"}.get(source)
    if feature is not None and feature not in requires:
        raise CorruptError(f"{what} has a {source} source and does not require {feature}")
    writer = text.get("writer")
    if not isinstance(writer, str) or not writer:
        raise CorruptError(f"{what}'s writer is not a text")
    numbers = {
        name: tuple(number(one, f"a number in {what}'s {name}") for one in _list(volume.get(name), f"{what}'s {name}", length))
        for name, length in (("spacing", 4), ("affine", 12))
    }
    header = Header(
        dims=dims,
        type=type,
        spacing=numbers["spacing"],  # type: ignore[arg-type]
        spatial_unit=_word(volume.get("spatialUnit"), f"{what}'s spatialUnit", ("m", "mm", "um", "unknown")),
        time_unit=_word(volume.get("timeUnit"), f"{what}'s timeUnit", ("s", "ms", "us", "unknown")),
        affine=numbers["affine"],
        slope=number(volume.get("slope"), f"{what}'s slope"),
        intercept=number(volume.get("intercept"), f"{what}'s intercept"),
        chunk=chunk,
        source=source,
        writer=writer,
        volume=volume,
        version=(major, minor),
        interleaved="interleaved" in requires,
    )
    check_grid(header, "the header")
    return header


def check_grid(header: Header, what: str) -> None:
    """@raise CorruptError for chunks that no volume has"""
    grid = header.grid
    fault = None
    if header.interleaved and header.chunk[3] == 1:
        raise CorruptError("the header requires interleaved, but its chunks hold one time point")
    if header.type == "f64" and header.chunk[0] % 2 != 0:
        fault = f"a chunk {header.chunk[0]} elements wide would split an f64 voxel, which is two elements"
    elif header.chunk[3] > 1 and not header.interleaved and grid.layer * grid.counts[2] > 1:
        fault = f"chunks of {'×'.join(map(str, header.chunk))} span {header.chunk[3]} time points without holding each completely"
    elif grid.count > most_chunks(grid.dims):
        fault = f"{grid.count} chunks are far more than its data needs"
    elif math.prod(header.chunk) * header.width > 2**24:
        fault = f"chunks of {'×'.join(map(str, header.chunk))} elements exceed {2**24} bytes"
    if fault is not None:
        raise CorruptError(f"{what} is impossible: {fault}")


def most_chunks(dims: Four) -> int:
    return min(2**24, max(4096, math.prod(dims) // 4096))
