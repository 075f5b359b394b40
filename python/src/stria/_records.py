"""Records of the container: docs/FORMAT.md, 'Records', 'CHNK', 'TAIL'."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from ._codecs import Stage, checksum
from .errors import CorruptError

SIGNATURE = b"\x89STRIA\r\n"
END = b"STRIAEND"
HEAD_LENGTH = 32
MAX_TEXT = 2**20
MAX_PAYLOAD = 2**25

Checksum = tuple[int, int]


def align8(length: int) -> int:
    return -(-length // 8) * 8


class Record(NamedTuple):
    meta: bytes
    body: memoryview


class Cursor:
    """Reads fields in order. @raise CorruptError past the end, in the name of `what`"""

    def __init__(self, octets: bytes | memoryview, what: str) -> None:
        self._octets, self._what, self.at = memoryview(octets), what, 0

    @property
    def remaining(self) -> int:
        return len(self._octets) - self.at

    def corrupt(self, message: str) -> CorruptError:
        return CorruptError(f"{self._what} {message}")

    def bytes(self, length: int) -> bytes:
        return bytes(self.skip(length))

    def skip(self, length: int) -> memoryview:
        if length > self.remaining:
            raise self.corrupt("ends early")
        start = self.at
        self.at += length
        return self._octets[start : self.at]

    def number(self, length: int) -> int:
        value = int.from_bytes(self.skip(length), "little")
        if value >= 2**53:
            raise self.corrupt(f"holds the number {value}, which exceeds the size of any file")
        return value

    def checksum(self) -> Checksum:
        return self.number(4), self.number(4)


def _head_checksum(head: bytes, offset: int) -> Checksum:
    return checksum(head[:24] + struct.pack("<Q", offset) + head[32:])


def _is_head(octets: memoryview, offset: int) -> bool:
    if len(octets) < HEAD_LENGTH or not bytes(octets[:4]).isalpha():
        return False
    zero, meta = struct.unpack_from("<HH", octets, 4)
    if zero != 0 or meta % 8 != 0 or meta > 4096 or HEAD_LENGTH + meta > len(octets):
        return False
    return _head_checksum(bytes(octets[: HEAD_LENGTH + meta]), offset) == struct.unpack_from("<II", octets, 24)


def parse_record(octets: bytes | memoryview, offset: int, type: str) -> Record:
    """The record in `octets`, which were read at `offset` and hold nothing else. @raise CorruptError"""
    view = memoryview(octets)
    where = f"the {type} record at byte {offset}"
    if not _is_head(view, offset):
        raise CorruptError(f"{where} is damaged: its head does not match its checksum")
    found = bytes(view[:4]).decode("ascii")
    if found != type:
        raise CorruptError(f"there is a {found} record instead of {where}")
    meta, length = struct.unpack_from("<HQ", view, 6)
    start = HEAD_LENGTH + meta
    if align8(start + length) != len(view):
        raise CorruptError(f"{where} is {align8(start + length)} bytes long instead of {len(view)}")
    body = view[start : start + length]
    if checksum(body) != struct.unpack_from("<II", view, 16):
        raise CorruptError(f"{where} is damaged: its content does not match its checksum")
    if any(view[start + length :]):
        raise CorruptError(f"{where} is damaged: the bytes after it are not zero")
    return Record(bytes(view[HEAD_LENGTH:start]), body)


def record_length(view: bytes, offset: int) -> int | None:
    """The length of the record whose head stands here; None if none does."""
    if not _is_head(memoryview(view), offset):
        return None
    meta, length = struct.unpack_from("<HQ", view, 6)
    return align8(HEAD_LENGTH + meta + length)


def encode_record(type: str, offset: int, body: bytes, meta: bytes = b"") -> bytes:
    head = struct.pack("<4sHHQII", type.encode("ascii"), 0, len(meta), len(body), *checksum(body)) + bytes(8) + meta
    head = head[:24] + struct.pack("<II", *_head_checksum(head, offset)) + head[32:]
    return head + body + bytes(align8(len(head) + len(body)) - len(head) - len(body))


def decode_stages(cursor: Cursor) -> tuple[Stage, ...]:
    count = cursor.number(1)
    if not 1 <= count <= 8:
        raise cursor.corrupt(f"names {count} stages for a chunk; the limit is 8, and at least 1 is needed")
    stages = []
    for _ in range(count):
        codec = cursor.number(2)
        if codec == 0:
            raise cursor.corrupt("names codec 0, which does not exist")
        stages.append(Stage(codec, cursor.bytes(cursor.number(1))))
    return tuple(stages)


def encode_stages(stages: Sequence[Stage]) -> bytes:
    return bytes([len(stages)]) + b"".join(
        struct.pack("<HB", stage.codec, len(stage.parameters)) + stage.parameters for stage in stages
    )


def chunk_record_length(stages_length: int, payload: int) -> int:
    return align8(HEAD_LENGTH + align8(16 + stages_length) + payload)


def parse_chunk(
    octets: bytes | memoryview, offset: int, number: int, level: int = 0
) -> tuple[tuple[Stage, ...], Checksum, memoryview]:
    """The stages, the checksum of the voxels, and the payload. @raise CorruptError also for another chunk's record"""
    record = parse_record(octets, offset, "lchk" if level else "CHNK")
    cursor = Cursor(record.meta, f"the chunk record at byte {offset}")
    found = cursor.number(8)
    sums = cursor.checksum()
    stages = decode_stages(cursor)
    if cursor.remaining >= 8 or any(cursor.skip(cursor.remaining)):
        raise cursor.corrupt("has bytes after its last field")
    if found != level * 2**32 + number:
        of_level = f" of level {found >> 32}" if found >> 32 else ""
        raise CorruptError(f"the record at byte {offset} belongs to chunk {found % 2**32 + 1}{of_level}")
    return stages, sums, record.body


class Tail(NamedTuple):
    chunks: int
    index_record: tuple[int, int]
    source_record: tuple[int, int]


def parse_tail(octets: bytes, offset: int) -> Tail:
    record = parse_record(octets, offset, "TAIL")
    cursor = Cursor(record.body, f"the TAIL record at byte {offset}")
    if len(record.body) < 56 or len(record.body) % 8 != 0:
        raise cursor.corrupt("has a wrong length")
    chunks, *places = (cursor.number(8) for _ in range(5))
    for at, length in (places[:2], places[2:]):
        if at % 8 != 0 or at + length > offset:
            raise cursor.corrupt(f"refers to a record at byte {at}, where none can be")
    return Tail(chunks, (places[0], places[1]), (places[2], places[3]))
