"""What can be wrong with a file."""


class StriaError(Exception):
    """The base of all errors of this package."""


class CorruptError(StriaError, ValueError):
    """The bytes break the format: cut off, changed, contradictory. `stria recover` can save what is intact."""


class UnsupportedError(StriaError, ValueError):
    """The file is valid, but needs something that this version lacks. The message names it."""


class NotReadableError(StriaError, OSError):
    """The file or address could not be read."""
