"""Saving: the bytes that the command gives, for every codec, type and kind of chunk."""

import unittest
from typing import Any
from unittest import mock

import numpy as np

import stria
from common import TYPES, Folder, command, compress, labels, smooth
from stria import _writer

CODECS = ["auto", "raw", "rle", "rice", "predict", "huffman", "labels", "parle", "wave", "rle+huffman", "predict+huffman", "parle+huffman", "rice+huffman"]


class Same(Folder):
    def check(self, volume: "np.ndarray[Any, Any]", codec: str, options: "tuple[object, ...]" = (), **arguments: Any) -> None:
        """The command compresses the .npy of the array to the same bytes."""
        source = self.folder / "own.npy"
        with source.open("wb") as file:
            header = {"descr": volume.dtype.newbyteorder("<").str, "fortran_order": True, "shape": volume.shape}
            np.lib.format.write_array_header_1_0(file, header)
            file.write(volume.astype(volume.dtype.newbyteorder("<")).tobytes(order="F"))
        expected = compress(source, self.folder / "expected.stria", "--codec", codec, *options).read_bytes()
        own = self.folder / "own.stria"
        stria.save(volume, own, codec=codec, **arguments)
        if own.read_bytes() != expected:
            differing = next((i for i, (a, b) in enumerate(zip(own.read_bytes(), expected)) if a != b), None)
            self.fail(f"{codec} of {volume.shape} {volume.dtype} differs from byte {differing} on, of {len(expected)}")
        read = np.asarray(stria.open(own, threads=1))
        np.testing.assert_array_equal(read.reshape(volume.shape), volume)
        self.assertEqual(sorted(path.name for path in self.folder.glob("own*")), ["own.npy", "own.stria"])

    def test_every_codec_and_width(self) -> None:
        for dtype in ("u1", "u2", "f4"):
            volume = np.concatenate([smooth((75, 45, 40), dtype), labels((75, 45, 33), dtype), np.zeros((75, 45, 90), dtype)], axis=2)
            for codec in CODECS:
                with self.subTest(codec=codec, dtype=dtype):
                    self.check(volume, codec)

    def test_samples(self) -> None:
        sample = self.folder / "sample.stria"
        for kind in ("zero", "sequence254", "sequence255", "potential", "phantom", "labels"):
            for type in ("u8", "u16"):
                command("sample", kind, "--size", "100,80,70", "--type", type, "-o", sample, "--device", "cpu")
                volume = np.asarray(stria.open(sample))
                with self.subTest(kind=kind, type=type):
                    self.check(volume, "auto")
                if kind == "phantom":
                    self.check(volume, "wave")
                    self.check(volume / 7, "auto")
                    self.check((volume / 7).astype("f4"), "auto", ("--prefer", "size"), prefer="size")

    def test_every_type(self) -> None:
        for dtype in TYPES.values():
            for shape in ((1,), (70, 3), (5, 1, 1), (33, 20, 9, 4), (1, 1, 1, 3)):
                for codec in ("auto", "wave"):
                    with self.subTest(dtype=dtype, shape=shape, codec=codec):
                        self.check(smooth(shape, "f8", 3).astype(dtype), codec)

    def test_random_arrays(self) -> None:
        random = np.random.default_rng(11)
        for _ in range(16):
            shape = tuple(int(length) for length in random.integers(1, 90, random.integers(1, 4)))
            dtype = str(random.choice(list(TYPES.values())))
            volume = (smooth if random.random() < 0.5 else labels)(shape, dtype, int(random.integers(1000)))
            volume = volume.transpose(random.permutation(volume.ndim))
            codec = str(random.choice(CODECS))
            with self.subTest(codec=codec, shape=volume.shape, dtype=dtype):
                self.check(volume, codec)

    def test_constants_ramps_and_runs_of_them(self) -> None:
        x, y, z = np.indices((140, 70, 130), sparse=True)
        for volume in (
            (x + 2 * y + 3 * z).astype("u4"),
            ((7 * x + y + 5 * z) % 251).astype("u1"),
            (x * 511 + z).astype("u2"),
            np.full((140, 70, 130), -1.5),
            np.where(z < 64, 3, np.where(z < 100, x + z, 9)).astype("i2") + np.zeros((140, 70, 130), "i2"),
            (y + 0 * x + 0 * z).astype(">i2"),
        ):
            with self.subTest(dtype=volume.dtype):
                self.check(volume, "rle")

    def test_options(self) -> None:
        volume = smooth((70, 66, 40), "u2")
        self.check(volume, "rle", ("--axis", "z"), axis="z")
        self.check(volume, "rice", ("--effort", "max"), effort="max")
        self.check(volume, "predict+huffman", ("--effort", "max"), effort="max", threads=1)
        for prefer in ("size", "balanced", "speed"):
            self.check(volume, "auto", ("--prefer", prefer), prefer=prefer)
        self.check(volume, "auto", ("--effort", "max", "--axis", "y"), effort="max", axis="y")

    def test_auto_is_the_default(self) -> None:
        volume = smooth((66, 50, 40), "i2")
        stria.save(volume, self.folder / "a.stria")
        self.assertEqual((self.folder / "a.stria").read_bytes(), compress(self.npy(volume), self.folder / "b.stria").read_bytes())

    def test_many_time_points_and_thin_volumes(self) -> None:
        for shape in ((4, 4, 2, 300), (3000, 2, 1), (1, 1, 5000), (9, 7, 1, 40), (20, 20, 20, 100)):
            for codec in ("rice", "auto", "wave"):
                with self.subTest(shape=shape, codec=codec):
                    self.check(smooth(shape, "u1"), codec)

    def test_time_points_that_chunks_interleave(self) -> None:
        still, random = smooth((90, 70, 30), "f8"), np.random.default_rng(5)
        steady = np.stack([still + random.normal(0, 0.1, still.shape) for _ in range(11)], axis=3)
        wild = random.normal(0, 50, (70, 65, 8, 5))
        holes = np.where(random.random((90, 70, 9, 3)) < 0.2, np.nan, steady[:, :, :9, :3])
        for name, volume, codec, options in (
            ("steady", steady.astype("i2"), "wave", {}),
            ("steady", steady.astype("i2"), "auto", {"prefer": "size"}),
            ("steady", steady[:, :, :9].astype("f4"), "auto", {"effort": "max"}),
            ("steady", steady[:, :, :5, :4], "auto", {"prefer": "size"}),
            ("steady", steady[:, :, :1, :9].astype(">u2"), "auto", {"prefer": "size"}),
            ("steady", steady.astype("u1"), "auto", {"effort": "max", "prefer": "speed"}),
            ("wild", wild.astype("i4"), "auto", {"prefer": "size"}),
            ("holes", holes.astype("f4"), "auto", {"prefer": "size"}),
        ):
            with self.subTest(name=name, dtype=volume.dtype, codec=codec, **options):
                self.check(volume, codec, tuple(word for pair in options.items() for word in (f"--{pair[0]}", pair[1])), **options)

    def test_an_affine_by_nifti(self) -> None:
        affine = np.array([[-2, 0.1, 0, 90.25], [0, 2.5, 0.3, -126], [0.2, 1e-7, 3, -72], [0, 0, 0, 1]])
        volume = smooth((40, 50, 30, 3), "i2")
        stria.save(volume, self.folder / "a.stria", affine=affine, codec="rice")
        array = stria.open(self.folder / "a.stria")
        np.testing.assert_array_equal(array.affine, affine)
        np.testing.assert_allclose(array.spacing, [*np.linalg.norm(affine[:3, :3], axis=0), 1])
        # The command restores the NIfTI, and compresses it to the same bytes.
        command("decompress", self.folder / "a.stria", "-o", self.folder / "a.nii", "--device", "cpu")
        again = compress(self.folder / "a.nii", self.folder / "b.stria", "--codec", "rice")
        self.assertEqual(again.read_bytes(), (self.folder / "a.stria").read_bytes())
        try:
            import nibabel
        except ImportError:
            return
        read = nibabel.load(self.folder / "a.nii")
        np.testing.assert_array_equal(np.asarray(read.dataobj), volume)
        np.testing.assert_array_equal(read.affine, affine)

    def test_numbers_as_javascript_writes_them(self) -> None:
        for value, text in (
            (1.0, "1"), (-2.5, "-2.5"), (0.1, "0.1"), (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-9, "1.5e-9"), (1e16, "10000000000000000"),
            (1e20, "100000000000000000000"), (1e21, "1e+21"), (-1.25e300, "-1.25e+300"), (123456.789, "123456.789"), (0.0, "0"), (5e-324, "5e-324"),
        ):  # fmt: skip
            self.assertEqual(repr(_writer.js_number(value)), text)


class Wrong(Folder):
    def test_arguments(self) -> None:
        path = self.folder / "a.stria"
        volume = np.zeros((3, 3, 3), "u1")
        for arguments in (
            {"codec": "zip"}, {"codec": "rice+rle"}, {"codec": "raw+huffman"}, {"codec": "a+b+c"}, {"axis": "t"}, {"effort": "much"},
            {"affine": np.zeros((4, 4))}, {"affine": np.eye(3)}, {"spacing": (1, 2, 3)}, {"affine": np.eye(4), "spacing": (0, 1, 1)},
            {"affine": np.eye(4), "spatial_unit": "inch"}, {"prefer": "best"}, {"codec": "wave+huffman"}, {"codec": "auto+huffman"},
        ):  # fmt: skip
            with self.subTest(**arguments), self.assertRaises(ValueError):
                stria.save(volume, path, **arguments)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            stria.save(np.zeros(3, "c16"), path)
        with self.assertRaises(ValueError):
            stria.save(np.zeros((3, 0)), path)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_failure_leaves_the_old_file(self) -> None:
        path = self.folder / "a.stria"
        stria.save(np.arange(8, dtype="u1"), path)
        before = path.read_bytes()
        with mock.patch("stria._save.encode", side_effect=MemoryError), self.assertRaises(MemoryError):
            stria.save(smooth((70, 70, 70), "u1"), path)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual([one.name for one in self.folder.iterdir()], ["a.stria"])


if __name__ == "__main__":
    unittest.main()
