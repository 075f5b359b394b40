"""What the tests share: the command, and files that it makes."""

import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TESTDATA = ROOT / "testdata"
TYPES = {"u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "f32": "f4", "f64": "f8"}


def command(*arguments: object) -> None:
    """Runs the built command on the CPU."""
    cli = os.environ.get("STRIA_CLI", str(ROOT / "out" / "main" / "cli.js"))
    subprocess.run(["node", cli, *map(str, arguments), "-q"], check=True, stdin=subprocess.DEVNULL)


def compress(source: Path, out: Path, *options: object) -> Path:
    command("compress", source, "-o", out, "--device", "cpu", "--threads", 2, *options)
    return out


def compress_all(sources: Iterable[Path], out: Path, *options: object) -> list[Path]:
    """Compresses many files with one command, since starting it takes most of the time of small ones."""
    sources = list(sources)
    out.mkdir(exist_ok=True)
    command("compress", *sources, "-o", out, "--device", "cpu", "--threads", 2, *options)
    return [out / f"{source.stem}.stria" for source in sources]


class Folder(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="stria-python-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def npy(self, array: "np.ndarray[Any, Any]", name: str = "a.npy") -> Path:
        np.save(self.folder / name, np.asfortranarray(array))
        return self.folder / name


def smooth(shape: tuple[int, ...], dtype: str, seed: int = 1) -> "np.ndarray[Any, Any]":
    """A scan-like volume: a ball with soft edges, and noise in it; flat outside."""
    random = np.random.default_rng(seed)
    grid = np.meshgrid(*[np.linspace(-1, 1, length) for length in shape], indexing="ij", sparse=True)
    ball = np.maximum(0, 1 - sum(axis**2 for axis in grid))
    noisy = ball * (100 + 4 * random.standard_normal(shape)) * (ball > 0.2)
    return noisy.astype(dtype)


def labels(shape: tuple[int, ...], dtype: str, seed: int = 1) -> "np.ndarray[Any, Any]":
    """A segmentation: boxes of labels."""
    random = np.random.default_rng(seed)
    array = np.zeros(shape, dtype)
    for label in range(1, 12):
        corner = [int(random.integers(0, max(1, length - 1))) for length in shape]
        array[tuple(slice(at, at + int(random.integers(1, 1 + length))) for at, length in zip(corner, shape))] = label
    return array
