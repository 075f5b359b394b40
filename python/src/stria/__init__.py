"""Reads .stria files, losslessly compressed scientific volumes, as arrays, and writes them."""

from ._array import Array, open
from ._save import save
from ._version import VERSION as __version__
from .errors import CorruptError, NotReadableError, StriaError, UnsupportedError

__all__ = ["Array", "CorruptError", "NotReadableError", "StriaError", "UnsupportedError", "open", "save"]
