"""Saving: the bytes that the command gives, for every codec, type and kind of chunk."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import numpy as np

import stria
from common import TYPES, Folder, command, compress, compress_all, labels, smooth
from stria import _writer

Volume: TypeAlias = "np.ndarray[Any, Any]"
#: An array, the codec, the command's options and the arguments of `stria.save` that are the same.
Case: TypeAlias = tuple[Volume, str, tuple[object, ...], dict[str, Any]]

CODECS = ["auto", "raw", "rle", "rice", "predict", "huffman", "labels", "parle", "wave", "rle+huffman", "predict+huffman", "parle+huffman", "rice+huffman"]


class Same(Folder):
    def check(self, volume: Volume, codec: str, options: tuple[object, ...] = (), **arguments: Any) -> None:
        """The command compresses the .npy of the array to the same bytes."""
        self.check_all([(volume, codec, options, arguments)])

    def check_all(self, cases: Iterable[Case]) -> None:
        """The same for many arrays: those with the same options are compressed by one command."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        alike: dict[tuple[object, ...], list[Case]] = {}
        for case in cases:
            alike.setdefault((case[1], *case[2]), []).append(case)
        for number, ((codec, *options), group) in enumerate(alike.items()):
            sources = [folder / f"{number}-{i}.npy" for i in range(len(group))]
            for source, (volume, *_) in zip(sources, group, strict=True):
                with source.open("wb") as file:
                    header = {"descr": volume.dtype.newbyteorder("<").str, "fortran_order": True, "shape": volume.shape}
                    np.lib.format.write_array_header_1_0(file, header)
                    file.write(volume.astype(volume.dtype.newbyteorder("<")).tobytes(order="F"))
            expected = compress_all(sources, self.folder / "expected", "--codec", codec, *options)
            for source, by_command, (volume, _, _, arguments) in zip(sources, expected, group, strict=True):
                with self.subTest(codec=codec, shape=volume.shape, dtype=volume.dtype, options=options):
                    self.compare(volume, str(codec), source.with_suffix(".stria"), by_command.read_bytes(), arguments)
            self.assertEqual(sorted(folder.glob("*.stria")), sorted(source.with_suffix(".stria") for source in sources))
            shutil.rmtree(self.folder / "expected")
            for file in folder.iterdir():
                file.unlink()

    def compare(self, volume: Volume, codec: str, own: Path, expected: bytes, arguments: dict[str, Any]) -> None:
        stria.save(volume, own, codec=codec, **arguments)
        if own.read_bytes() != expected:
            differing = next((i for i, (a, b) in enumerate(zip(own.read_bytes(), expected)) if a != b), None)
            self.fail(f"{codec} of {volume.shape} {volume.dtype} differs from byte {differing} on, of {len(expected)}")
        read = np.asarray(stria.open(own, threads=1))
        np.testing.assert_array_equal(read.reshape(volume.shape), volume)

    def test_every_codec_and_width(self) -> None:
        cases: list[Case] = []
        for dtype in ("u1", "u2", "f4"):
            volume = np.concatenate([smooth((75, 45, 40), dtype), labels((75, 45, 33), dtype), np.zeros((75, 45, 90), dtype)], axis=2)
            cases += [(volume, codec, (), {}) for codec in CODECS]
        self.check_all(cases)

    def test_samples(self) -> None:
        sample = self.folder / "sample.stria"
        cases: list[Case] = []
        for kind in ("zero", "sequence254", "sequence255", "potential", "phantom", "labels"):
            for type in ("u8", "u16"):
                command("sample", kind, "--size", "100,80,70", "--type", type, "-o", sample, "--device", "cpu")
                volume = np.asarray(stria.open(sample))
                cases.append((volume, "auto", (), {}))
                if kind == "phantom":
                    cases.append((volume, "wave", (), {}))
                    cases.append((volume / 7, "auto", (), {}))
                    cases.append(((volume / 7).astype("f4"), "auto", ("--prefer", "size"), {"prefer": "size"}))
        self.check_all(cases)

    def test_every_type(self) -> None:
        self.check_all(
            (smooth(shape, "f8", 3).astype(dtype), codec, (), {})
            for dtype in TYPES.values()
            for shape in ((1,), (70, 3), (5, 1, 1), (33, 20, 9, 4), (1, 1, 1, 3))
            for codec in ("auto", "wave")
        )

    def test_random_arrays(self) -> None:
        random = np.random.default_rng(11)
        cases: list[Case] = []
        for _ in range(16):
            shape = tuple(int(length) for length in random.integers(1, 90, random.integers(1, 4)))
            dtype = str(random.choice(list(TYPES.values())))
            volume = (smooth if random.random() < 0.5 else labels)(shape, dtype, int(random.integers(1000)))
            volume = volume.transpose(random.permutation(volume.ndim))
            codec = str(random.choice(CODECS))
            cases.append((volume, codec, (), {}))
        self.check_all(cases)

    def test_constants_ramps_and_runs_of_them(self) -> None:
        x, y, z = np.indices((140, 70, 130), sparse=True)
        volumes = (
            (x + 2 * y + 3 * z).astype("u4"),
            ((7 * x + y + 5 * z) % 251).astype("u1"),
            (x * 511 + z).astype("u2"),
            np.full((140, 70, 130), -1.5),
            np.where(z < 64, 3, np.where(z < 100, x + z, 9)).astype("i2") + np.zeros((140, 70, 130), "i2"),
            (y + 0 * x + 0 * z).astype(">i2"),
        )
        self.check_all((volume, "rle", (), {}) for volume in volumes)

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
        self.check_all(
            (smooth(shape, "u1"), codec, (), {})
            for shape in ((4, 4, 2, 300), (3000, 2, 1), (1, 1, 5000), (9, 7, 1, 40), (20, 20, 20, 100))
            for codec in ("rice", "auto", "wave")
        )

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

    def test_levels(self) -> None:
        random = np.random.default_rng(3)
        signed = random.integers(-40, 40, (150, 9, 21))
        holes = np.where(random.random((135, 30, 12)) < 0.4, np.nan, smooth((135, 30, 12), "f8") - 3)
        holes[:60:2, :, :] = np.inf
        holes[60:64] = -0.0
        cases: list[Case] = []
        empty_first = np.concatenate([np.zeros((131, 20, 9), "u1"), smooth((131, 20, 12), "u1")], axis=2)
        for _, volume in (
            ("scan", smooth((150, 21, 13), "u1")),
            ("labels", labels((140, 67, 70), "u2")),
            ("points", (random.random((150, 140, 9)) < 0.02).astype("u1") * 200),
            ("many labels", random.integers(0, 3, (131, 65, 7)).astype("u4") * 1_000_000_007),
            ("negative", signed.astype("i1")),
            ("negative, wide", (signed * 50_000_000).astype("i4")),
            ("time points", (smooth((150, 61, 41, 2), "f8") - 50).astype("i2")),
            ("big-endian", smooth((260, 140, 3), ">i2")),
            ("holes", holes.astype("f4")),
            ("holes of doubles", holes),
            ("time points of doubles", smooth((129, 50, 51, 2), "f8")),
            ("empty at first", empty_first),
            ("deep", smooth((3, 2, 700), "u2")),
            ("a picture", smooth((300, 140), "u1")),
            ("a row", smooth((1000,), "f4")),
            ("no level", smooth((40, 30, 20), "u1")),
            ("constant", np.full((200, 70, 66), 7, "u2")),
            ("one plane in the last layer of chunks", random.integers(0, 3, (140, 30, 65)).astype("u1")),
            ("C order", np.ascontiguousarray(smooth((70, 80, 150), "u2"))),
        ):
            methods = ("",) if volume.dtype.kind == "f" else ("", "mean", "mode")
            for method in methods:
                options = (f"--levels={method}",) if method else ("--levels",)
                cases.append((volume, "auto", options, {"levels": method or True}))
        self.check_all(cases)
        self.check(smooth((150, 70, 40), "u2"), "rice", ("--levels", "--effort", "max"), levels=True, effort="max", threads=1)

    def test_levels_of_thick_slices(self) -> None:
        """Unlike spacings, by NIfTI; and the levels that were written, read as volumes."""
        path, volume = self.folder / "a.stria", smooth((150, 140, 40), "i2")
        stria.save(volume, path, affine=np.diag([0.7, 0.7, 3, 1]), levels=True)
        command("decompress", path, "-o", self.folder / "a.nii", "--device", "cpu")
        again = compress(self.folder / "a.nii", self.folder / "b.stria", "--levels")
        self.assertEqual(again.read_bytes(), path.read_bytes())
        file = stria.open(path)
        self.assertEqual([level.shape for level in file.levels], [(75, 70, 40)])
        np.testing.assert_allclose(file.levels[0].spacing, (1.4, 1.4, 3))
        np.testing.assert_array_equal(np.asarray(file), volume)
        means = volume.reshape(75, 2, 70, 2, 40).mean(axis=(1, 3))
        self.assertLessEqual(np.abs(np.asarray(file.levels[0]) - means).max(), 0.5)
        stria.save(volume, path, levels=False)
        self.assertEqual(stria.open(path).levels, [])
        with self.assertRaisesRegex(ValueError, "itself a level"):
            file.levels[0].levels

    def test_levels_that_take_too_much_are_left_out(self) -> None:
        random = np.random.default_rng(5)
        points = np.where(random.random((520, 140, 130)) < 0.003, random.integers(100, 255, (520, 140, 130)), 0).astype("u1")
        self.check(points, "auto", ("--levels=mean",), levels="mean", threads=3)
        stria.save(points, self.folder / "own.stria", levels="mean", threads=3)
        file = stria.open(self.folder / "own.stria")
        with mock.patch("stria._leveled_writer._PERCENT", 100):
            stria.save(points, self.folder / "all.stria", levels="mean")
        every = stria.open(self.folder / "all.stria").levels
        self.assertEqual([level.shape for level in every], [(260, 70, 65), (130, 35, 33), (65, 18, 17)])
        self.assertLess(len(file.levels), 3)
        for level, same in zip(file.levels, every[3 - len(file.levels) :], strict=True):
            np.testing.assert_array_equal(np.asarray(level), np.asarray(same))

    def test_levels_are_chosen_at_the_bound(self) -> None:
        """With shorter runs and a lower bound than the command's, so that a small volume reaches it half-way."""
        random = np.random.default_rng(6)
        dense = random.integers(0, 255, (264, 70, 640)).astype("u1")
        points = np.where(random.random(dense.shape) < 0.003, dense | 100, 0).astype("u1")
        path, dims = self.folder / "a.stria", [(132, 35, 320), (66, 18, 160), (33, 9, 80)]
        for first, second, kept, kept_at_end in ((dense, dense, 3, 3), (points, points, 1, 1), (points, dense, 1, 3), (dense, points, 3, 3)):
            volume = np.concatenate([first[:, :, :320], second[:, :, 320:]], axis=2)
            stria.save(volume, path, levels="mean")
            self.assertEqual([level.shape for level in stria.open(path).levels], dims[3 - kept_at_end :])
            with mock.patch("stria._level_stack._MOST_RUN_BYTES", 1), mock.patch("stria._leveled_writer._MOST_HELD", 10_000):
                stria.save(volume, path, levels="mean", threads=3)
            self.assertEqual([level.shape for level in stria.open(path).levels], dims[3 - kept :])
            command("verify", path, "--device", "cpu")

    def test_large_volumes_get_levels_by_themselves(self) -> None:
        """The command's limit of 256 MiB, lowered."""
        volume, path = smooth((150, 60, 20), "u1"), self.folder / "a.stria"
        for limit, count in ((volume.nbytes - 1, 1), (volume.nbytes, 0)):
            with mock.patch("stria._level_stack._LEAST_BYTES", limit):
                stria.save(volume, path)
            self.assertEqual(len(stria.open(path).levels), count)
        # Chunks of several time points have none.
        with mock.patch("stria._level_stack._LEAST_BYTES", 0):
            stria.save(smooth((200, 4, 2, 50), "u1"), path)
        self.assertEqual(stria.open(path).levels, [])

    @unittest.skipUnless(sys.platform == "linux", "reads /proc")
    def test_levels_take_little_memory(self) -> None:
        """The array is mapped from a file, so what is counted is what save holds."""
        source = self.folder / "large.npy"
        mapped = np.lib.format.open_memmap(source, "w+", np.uint8, (512, 512, 1024), fortran_order=True)
        mapped[:, :, ::97] = 1
        mapped.flush()
        del mapped
        code = """if True:
            import sys, threading, time
            import numpy as np, stria
            peak, done = 0, threading.Event()
            def watch():
                global peak
                while not done.wait(0.002):
                    peak = max(peak, *[int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")])
            watcher = threading.Thread(target=watch)
            watcher.start()
            stria.save(np.load(sys.argv[1], mmap_mode="r"), sys.argv[2], levels=True, threads=2)
            done.set()
            watcher.join()
            print(peak)
        """
        said = subprocess.run([sys.executable, "-c", code, str(source), str(self.folder / "a.stria")], check=True, capture_output=True, text=True)
        self.assertTrue(20 < int(said.stdout) / 1024 < 150, said.stdout)

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
            {"levels": "sum"}, {"levels": 2},
            {"affine": np.eye(4), "spatial_unit": "inch"}, {"prefer": "best"}, {"codec": "wave+huffman"}, {"codec": "auto+huffman"},
        ):  # fmt: skip
            with self.subTest(**arguments), self.assertRaises(ValueError):
                stria.save(volume, path, **arguments)  # type: ignore[arg-type]
        for array, levels, why in (
            (np.zeros((200, 2, 2), "f4"), "mode", "no labels"),
            (smooth((200, 4, 2, 50), "u1"), True, "one time point"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                stria.save(array, path, levels=levels)
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


class Links(Folder):
    def test_a_link_stays(self) -> None:
        (self.folder / "disk").mkdir()
        target, link = self.folder / "disk" / "a.stria", self.folder / "a.stria"
        target.write_bytes(b"old")
        link.symlink_to(target)
        stria.save(np.arange(24, dtype="i2").reshape(2, 3, 4), link)
        self.assertTrue(link.is_symlink())
        self.assertEqual(stria.open(target).shape, (2, 3, 4))
        self.assertEqual(os.listdir(target.parent), ["a.stria"])


if __name__ == "__main__":
    unittest.main()
