"""Reads .stria files, losslessly compressed scientific volumes, as arrays, and writes them."""

from ._array import Array, open
from ._save import save
from .errors import CorruptError, NotReadableError, StriaError, UnsupportedError

__version__ = "0.1.0"
__all__ = ["Array", "CorruptError", "NotReadableError", "StriaError", "UnsupportedError", "open", "save"]
