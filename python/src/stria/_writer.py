"""Writes the container front to back: src/core/format/container-writer.ts and index-builder.ts."""

import json
import math
import struct
from collections.abc import Iterable, Sequence
from typing import IO, Any

from ._choose import Encoded
from ._header import Four, Grid, Three
from ._index import Ramp
from ._levels import METHODS
from ._records import END, HEAD_LENGTH, SIGNATURE, align8, chunk_record_length, encode_record, encode_stages

_MOST_PENDING = _MOST_FLUSHES = 4096
#: Number, method, factors and chunk shape.
_LEVEL_META = struct.Struct("<8I")


def js_number(value: float) -> Any:
    """A number as JSON.stringify writes it, by json.dumps: the shortest digits, in JavaScript's notation."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 and math.copysign(1, value) < 0:
        return "-0"
    return _Number(value)


class _Number(float):
    def __repr__(self) -> str:
        digits, _, exponent = f"{float(self)!r}".partition("e")
        sign = "-" if digits.startswith("-") else ""
        whole, _, fraction = digits.lstrip("-").partition(".")
        fraction = "" if fraction == "0" and not exponent else fraction
        point = len(whole) + int(exponent or 0)
        figures = (whole + fraction).lstrip("0")
        point -= len(whole + fraction) - len(figures)
        figures = figures.rstrip("0") or "0"
        if figures == "0":
            return "0"
        if -6 < point <= 21:
            if point <= 0:
                return f"{sign}0.{'0' * -point}{figures}"
            if point >= len(figures):
                return sign + figures + "0" * (point - len(figures))
            return f"{sign}{figures[:point]}.{figures[point:]}"
        rest = f".{figures[1:]}" if len(figures) > 1 else ""
        return f"{sign}{figures[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def json_lines(members: dict[str, Any]) -> bytes:
    """One line for each key."""
    lines = [f"{json.dumps(key)}: {_json(value)}" for key, value in members.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _json(value: Any) -> str:
    if isinstance(value, _Number):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{_json(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class _Index:
    """Collects the entries of all chunks in order."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._methods: dict[bytes, int] = {}
        self._runs: list[bytes] = []
        self._last: Ramp | None = None
        self._count = 0
        self._entries = bytearray()
        self._start = self._end = -1

    def coded(self, offset: int, length: int, stages: bytes, payload: int) -> None:
        if self._end != offset or self._last is not None:
            self._close()
            self._start = offset
        self._entries += struct.pack("<II", self._methods.setdefault(stages, len(self._methods)), payload)
        self._end = offset + length
        self._count += 1

    def ramp(self, chunk: Ramp) -> None:
        if self._last is None or not continues(self._last, chunk):
            self._close()
            self._last = chunk
        if any(chunk.steps):
            self._entries += ramp_entry(chunk, self._width)
        self._count += 1

    def _close(self) -> None:
        if self._last is not None:
            kind = 2 if any(self._last.steps) else 0
            self._runs.append(bytes([kind]) + run_bytes(self._last, self._count, bytes(self._entries), self._width))
        elif self._count > 0:
            self._runs.append(struct.pack("<BIQ", 1, self._count, self._start) + self._entries)
        self._last, self._count, self._entries, self._start, self._end = None, 0, bytearray(), -1, -1

    def build(self) -> bytes:
        self._close()
        return struct.pack("<II", len(self._methods), len(self._runs)) + b"".join([*self._methods, *self._runs])


def continues(run: Ramp, chunk: Ramp) -> bool:
    """Whether a chunk belongs to the run of the one before."""
    same_rule = run.steps == chunk.steps and run.modulus == chunk.modulus
    return same_rule if any(run.steps) else same_rule and run == chunk


def ramp_entry(chunk: Ramp, width: int) -> bytes:
    return struct.pack("<II", *chunk.checksum) + chunk.first.to_bytes(width, "little")


def run_bytes(run: Ramp, count: int, entries: bytes, width: int) -> bytes:
    if not any(run.steps):
        return struct.pack("<IIIB", count, *run.checksum, width) + run.first.to_bytes(width, "little")
    steps = b"".join(step.to_bytes(width, "little") for step in run.steps)
    return struct.pack("<IBI", count, width, run.modulus) + steps + entries


class _Pending:
    """Runs of constant chunks, or of ramps, since the last CONS or RAMP record."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._runs: list[tuple[int, Ramp, int, bytearray]] = []
        self.chunks = 0

    def add(self, number: int, chunk: Ramp) -> None:
        entry = ramp_entry(chunk, self._width) if any(chunk.steps) else b""
        if self._runs:
            first, run, count, entries = self._runs[-1]
            if first + count == number and continues(run, chunk):
                self._runs[-1] = (first, run, count + 1, entries + entry)
                self.chunks += 1
                return
        self._runs.append((number, chunk, 1, bytearray(entry)))
        self.chunks += 1

    def __len__(self) -> int:
        return len(self._runs)

    def take(self) -> bytes:
        body = b"".join(
            struct.pack("<Q", first) + run_bytes(run, count, bytes(entries), self._width)
            for first, run, count, entries in self._runs
        )
        self._runs, self.chunks = [], 0
        return body


def bytes_of_levels(runs: "Iterable[tuple[int, Sequence[Encoded | Ramp]]]", width: int) -> int:
    """The bytes that levels take in a file, if their runs are written one after another: all their records."""
    levels: dict[int, _Index] = {}
    end = 0
    for level, chunks in runs:
        index = levels.setdefault(level, _Index(width))
        for chunk in chunks:
            if not isinstance(chunk, Encoded):
                index.ramp(chunk)
                continue
            stages = encode_stages(chunk.stages)
            length = chunk_record_length(len(stages), len(chunk.payload))
            index.coded(end, length, stages, len(chunk.payload))
            end += length
    return end + sum(align8(HEAD_LENGTH + _LEVEL_META.size + len(index.build())) for index in levels.values())


class Writer:
    def __init__(self, file: IO[bytes], header: bytes, grid: Grid, width: int) -> None:
        self._file, self._header, self._width = file, header, width
        layers = grid.counts[2] * grid.counts[3]
        self._per_flush = grid.layer * -(-layers // _MOST_FLUSHES)
        self._index = _Index(width)
        #: By level, from 1.
        self._levels: dict[int, _Index] = {}
        self._constants, self._ramps = _Pending(width), _Pending(width)
        self._number = self.size = 0
        self._write(SIGNATURE + struct.pack("<HHI", 1, 0, 0))
        self._record("HEAD", header)

    def _write(self, octets: bytes) -> None:
        self._file.write(octets)
        self.size += len(octets)

    def _record(self, type: str, body: bytes, meta: bytes = b"") -> tuple[int, int]:
        at = self.size
        self._write(encode_record(type, at, body, meta))
        return at, self.size - at

    def add(self, chunk: Encoded | Ramp) -> None:
        """Adds the next chunk."""
        number = self._number
        self._number += 1
        if isinstance(chunk, Encoded):
            self._coded("CHNK", number, chunk, self._index)
        else:
            self._index.ramp(chunk)
            pending = self._ramps if any(chunk.steps) else self._constants
            pending.add(number, chunk)
            if len(self._constants) >= _MOST_PENDING or self._ramps.chunks >= _MOST_PENDING:
                self._flush()
        if self._number % self._per_flush == 0:
            self._flush()

    def add_to_level(self, level: int, number: int, chunk: Encoded | Ramp) -> None:
        """Adds the next chunk of a level. Computed ones are in its index alone."""
        index = self._levels.setdefault(level, _Index(self._width))
        if isinstance(chunk, Encoded):
            self._coded("lchk", (level << 32) + number, chunk, index)
        else:
            index.ramp(chunk)

    def _coded(self, type: str, number: int, chunk: Encoded, index: _Index) -> None:
        stages = encode_stages(chunk.stages)
        meta = struct.pack("<QII", number, *chunk.checksum) + stages
        at, length = self._record(type, chunk.payload, meta.ljust(align8(len(meta)), b"\0"))
        index.coded(at, length, stages, len(chunk.payload))

    def _flush(self) -> None:
        for type, pending in (("CONS", self._constants), ("RAMP", self._ramps)):
            if len(pending) > 0:
                self._record(type, pending.take())

    def finish(self, format: str, name: str, before: bytes, levels: Sequence[tuple[int, str, Three, Three]] = ()) -> None:
        """@param levels number, method, factors and chunk shape of each, the finest first"""
        self._flush()
        part = {"name": name, "hasVoxels": True, "before": len(before), "after": 0}
        source = self._record("SRCE", json_lines({"format": format, "endian": "little", "parts": [part]}))
        self._record("BLOB", before, struct.pack("<II", 0, 0))
        self._record("head", self._header)
        index = self._record("INDX", self._index.build())
        for level, method, factors, chunk in levels:
            meta = _LEVEL_META.pack(level, METHODS.index(method), *factors, *chunk)
            self._record("levl", self._levels[level].build(), meta)
        at = self.size
        self._record("TAIL", struct.pack("<QQQQQQ", self._number, *index, *source, at) + END)


def header_bytes(dims: Four, chunk: Four, interleaved: bool, volume: dict[str, Any], format: str, writer: str) -> bytes:
    return json_lines(
        {
            "format": "stria",
            "version": [1, 0],
            "requires": ["interleaved"] if interleaved else [],
            "volume": {"dims": dims, **volume},
            "chunk": chunk,
            "source": format,
            "writer": writer,
        }
    )
