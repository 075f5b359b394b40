from collections.abc import Buffer, Mapping, Sequence

class Trap(Exception): ...

tables: Mapping[str, bytes]

class Module:
    def __new__(cls, name: str) -> Module: ...
    def call(
        self,
        function: str,
        areas: Sequence[int | Buffer | tuple[Buffer, int]],
        parameters: Sequence[int],
        out: Buffer | None = None,
        out_area: int = 0,
    ) -> int: ...
    def read(self, sizes: Sequence[int], area: int, length: int) -> bytes: ...
