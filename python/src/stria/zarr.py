"""
The Zarr v3 codec `stria`: docs/ZARR.md. `StriaCodec` is for zarr-python 3, which finds it by the entry point `zarr.codecs`;
`encode_chunk` and `decode_chunk` need no Zarr.
"""

import asyncio
import math
import struct
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._array import _ramp
from ._choose import Encoded, choice_of, encode
from ._codecs import Geometry, Octets, checksum, decode
from ._index import Ramp
from ._records import Cursor, decode_stages, encode_stages
from .errors import CorruptError, UnsupportedError

_MAGIC, _VERSION, _MOST = b"STRZ", 1, 2**24


def _geometry(shape: tuple[int, ...], size: int) -> Geometry:
    """The last axis is x, the one before it y, all others together z; wide elements are several of 4 bytes along x."""
    if size not in (1, 2) and (size % 4 != 0 or size == 0):
        raise UnsupportedError(f"stria takes elements of 1 or 2 bytes, or of a multiple of 4, not of {size} bytes")
    width = min(4, size)
    x = (shape[-1] if shape else 1) * (size // width)
    y = shape[-2] if len(shape) > 1 else 1
    chunk = Geometry((x, y, math.prod(shape[:-2])), width)
    if not 1 <= chunk.nbytes <= _MOST:
        raise UnsupportedError(f"stria takes chunks of 1 to {_MOST} bytes, not of {shape} elements of {size} bytes")
    return chunk


def encode_chunk(array: "NDArray[Any]", codec: str = "auto", effort: str = "normal", prefer: str = "balanced") -> bytes:
    """The bytes of a chunk."""
    kind = array.dtype.newbyteorder("<")
    octets = np.ascontiguousarray(array, kind).reshape(-1).view(np.uint8)
    chunk = _geometry(array.shape, array.dtype.itemsize)
    found = encode(octets, chunk, choice_of(codec, prefer, None, effort))
    number = 1 if isinstance(found, Encoded) else 2 if any(found.steps) else 0
    head = _MAGIC + struct.pack("<BBBBII", _VERSION, number, chunk.width, 0, *found.checksum)
    if isinstance(found, Encoded):
        return head + encode_stages(found.stages) + found.payload
    first = found.first.to_bytes(chunk.width, "little")
    if number == 0:
        return head + first
    return head + struct.pack("<I", found.modulus) + b"".join(one.to_bytes(chunk.width, "little") for one in found.steps) + first


def decode_chunk(octets: bytes, shape: tuple[int, ...], dtype: "np.dtype[Any]") -> "NDArray[Any]":
    """The array of a chunk. @raise CorruptError, UnsupportedError"""
    chunk = _geometry(shape, dtype.itemsize)
    cursor = Cursor(octets, "the chunk")
    if cursor.bytes(4) != _MAGIC:
        raise cursor.corrupt("was not written by the codec stria")
    version = cursor.number(1)
    if version != _VERSION:
        raise UnsupportedError(f"the chunk has version {version} of the codec stria; this reads {_VERSION}")
    kind, width, zero = cursor.number(1), cursor.number(1), cursor.number(1)
    if width != chunk.width or zero != 0:
        raise cursor.corrupt(f"has elements of {width} bytes, and the array has elements of {chunk.width}")
    sums = cursor.checksum()
    if kind == 1:
        stages = decode_stages(cursor)
        voxels: Octets = decode(cursor.skip(cursor.remaining), stages, chunk)
    elif kind in (0, 2):
        modulus = cursor.number(4) if kind == 2 else 0
        steps = tuple(cursor.number(width) if kind == 2 else 0 for _ in range(3))
        first = cursor.number(width)
        if cursor.remaining:
            raise cursor.corrupt("has bytes after its last field")
        bound = modulus or 2 ** (8 * width)
        if kind == 2 and (modulus == 1 or modulus > min(65536, 2 ** (8 * width) - 1) or not any(steps) or max(*steps, first) >= bound):
            raise cursor.corrupt("has a ramp that there cannot be")
        voxels = _ramp(Ramp(first, (steps[0], steps[1], steps[2]), modulus, sums), chunk)
    else:
        raise cursor.corrupt(f"is of kind {kind}, which version {_VERSION} does not know")
    if checksum(voxels, chunk.shape[0] * width) != sums:
        raise CorruptError("the chunk's elements do not match their checksum")
    return voxels.view(dtype.newbyteorder("<")).reshape(shape)


try:
    from zarr.abc.codec import ArrayBytesCodec as _Base  # type: ignore[import-not-found]
except ImportError:
    _Base = object


@dataclass(frozen=True)
class StriaCodec(_Base):  # type: ignore[misc]
    """`zarr.create_array(…, serializer=StriaCodec(codec="rice"), compressors=None)`, in zarr-python 3."""

    codec: str = "auto"
    effort: str = "normal"
    prefer: str = "balanced"

    is_fixed_size = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "StriaCodec":
        configuration = data.get("configuration") or {}
        return cls(**{name: configuration[name] for name in ("codec", "effort", "prefer") if name in configuration})

    def to_dict(self) -> dict[str, Any]:
        return {"name": "stria", "configuration": asdict(self)}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        raise NotImplementedError

    async def _decode_single(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        kind = chunk_spec.dtype.to_native_dtype() if hasattr(chunk_spec.dtype, "to_native_dtype") else np.dtype(chunk_spec.dtype)
        found = await asyncio.to_thread(decode_chunk, bytes(chunk_bytes.to_bytes()), tuple(chunk_spec.shape), kind)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(found)

    async def _encode_single(self, chunk_array: Any, chunk_spec: Any) -> Any:
        found = await asyncio.to_thread(encode_chunk, chunk_array.as_numpy_array(), self.codec, self.effort, self.prefer)
        return chunk_spec.prototype.buffer.from_bytes(found)
