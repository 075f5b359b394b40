"""The modules compiled from src/assembly, one of each for each thread."""

import threading
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from . import _engine

Bytes: TypeAlias = bytes | bytearray | memoryview | np.ndarray[Any, Any]
Area: TypeAlias = int | Bytes | tuple[Bytes, int]

_local = threading.local()


def module(name: str) -> _engine.Module:
    """This thread's module of a name."""
    modules: dict[str, _engine.Module] | None = getattr(_local, "modules", None)
    if modules is None:
        modules = _local.modules = {}
    found = modules.get(name)
    if found is None:
        found = modules[name] = _engine.Module(name)
    return found


def area(number: int, offset: int = 0) -> int:
    """The address of a byte of an area, as a parameter of `Module.call`."""
    return -1 - (number + 16 * offset)


def call(name: str, function: str, areas: Sequence[Area], parameters: Sequence[int], out: Bytes | None = None, out_area: int = 0) -> int:
    """Calls a function of this thread's module: `_engine.Module.call`. A function that would leave its memory gives 0."""
    try:
        return module(name).call(function, areas, parameters, out, out_area)
    except _engine.Trap:
        return 0


def produce(name: str, function: str, areas: Sequence[Area], parameters: Sequence[int], out_area: int) -> bytes:
    """Calls a function whose result is the length of what it wrote to an area. @return those bytes"""
    length = module(name).call(function, areas, parameters)
    return module(name).read([_size(one) for one in areas], out_area, length)


def read(name: str, areas: Sequence[Area], out_area: int, length: int) -> bytes:
    """The first bytes of an area after a call with these areas."""
    return module(name).read([_size(one) for one in areas], out_area, length)


def _size(one: Area) -> int:
    if isinstance(one, int):
        return one
    if isinstance(one, tuple):
        return max(memoryview(one[0]).nbytes, one[1])
    return memoryview(one).nbytes
