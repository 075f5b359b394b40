"""Reading: slices, every type and codec, faulty files, servers, dask, nibabel, memory."""

import http.server
import io
import itertools
import json
import multiprocessing
import os
import pickle
import re
import struct
import subprocess
import sys
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stria
from common import TESTDATA, TYPES, Folder, command, compress, compress_all, labels, smooth
from stria import _choose, _header, _records, _save

CODECS = ["raw", "rle", "rice", "predict", "huffman", "labels", "parle", "wave", "rle+huffman", "predict+huffman", "parle+huffman"]


class Voxels(Folder):
    def test_every_codec_and_width(self) -> None:
        dtypes = ("u1", "u2", "f4")
        volumes = [np.concatenate([smooth((75, 45, 40), dtype), labels((75, 45, 33), dtype)], axis=2) for dtype in dtypes]
        sources = [self.npy(volume, f"{dtype}.npy") for dtype, volume in zip(dtypes, volumes, strict=True)]
        for codec in CODECS:
            for effort in ["normal", "max"] if codec in ("rice", "predict+huffman") else ["normal"]:
                options = [] if effort == "normal" else ["--effort", effort]
                files = compress_all(sources, self.folder / f"{codec} {effort}", "--codec", codec, *options)
                for dtype, volume, file in zip(dtypes, volumes, files, strict=True):
                    with self.subTest(codec=codec, dtype=dtype, effort=effort):
                        np.testing.assert_array_equal(np.asarray(stria.open(file)), volume)

    def test_every_type(self) -> None:
        random = np.random.default_rng(5)
        volumes = [
            (smooth(shape, "f8", 3) * random.integers(0, 2, shape)).astype(dtype)
            for dtype in TYPES.values()
            for shape in ((1, 1, 1), (70, 3, 5), (33, 20, 9, 4))
        ]
        sources = [self.npy(volume, f"{i}.npy") for i, volume in enumerate(volumes)]
        for volume, file in zip(volumes, compress_all(sources, self.folder / "compressed"), strict=True):
            with self.subTest(type=volume.dtype, shape=volume.shape):
                array = stria.open(file)
                self.assertEqual((array.shape, array.dtype), (volume.shape, volume.dtype))
                np.testing.assert_array_equal(np.asarray(array), volume)

    def test_only_values_are_kept(self) -> None:
        source = self.folder / "a.zarr"
        source.mkdir()
        volume = smooth((5, 6, 4), "i2")
        array = {"zarr_format": 2, "shape": [4, 6, 5], "chunks": [4, 6, 5], "dtype": "<i2", "order": "C", "fill_value": 0}
        (source / ".zarray").write_text(json.dumps(array | {"compressor": None, "filters": None}))
        (source / "0.0.0").write_bytes(np.asfortranarray(volume).tobytes(order="F"))
        opened = stria.open(compress(source, self.folder / "a.stria"))
        self.assertEqual(opened.metadata["source"], "zarr")
        np.testing.assert_array_equal(np.asarray(opened), volume)

    def test_constants_and_ramps(self) -> None:
        x, y, z = np.indices((100, 70, 66))
        for volume in (np.full((100, 70, 66), 7, "u2"), (x + 2 * y + 3 * z).astype("u4"), ((x + y) % 251).astype("u1")):
            np.testing.assert_array_equal(np.asarray(stria.open(compress(self.npy(volume), self.folder / "a.stria"))), volume)


#: Prints the most memory that a program took, in MiB. Linux's `ru_maxrss` also counts the program that started it.
PRINT_PEAK = """
import resource, sys
if sys.platform == "linux":
    print(int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**20)
"""


def write_large(path: Path, dims: tuple[int, ...], chunk: Callable[[int, int, int], Any]) -> None:
    """Writes a file of bytes from its coded chunks of 64³, given by their place, which is much faster than compressing it."""
    volume = _save._volume("u8", [1.0] * 4, "unknown", "unknown", np.eye(4))
    with path.open("wb") as file:
        header = _save.header_bytes((*dims[:3], 1), (64, 64, 64, 1), False, volume, "npy", "a test")
        writer = _save.Writer(file, header, _save.Grid((*dims[:3], 1), (64, 64, 64, 1)), 1)
        for z, y, x in np.ndindex(dims[2] // 64, dims[1] // 64, dims[0] // 64):
            writer.add(chunk(x, y, z))
        writer.finish("npy", "a.npy", _save._npy_header(dims, "u8"))


def encode_chunk(chunk: "np.ndarray[Any, Any]", codec: str) -> Any:
    octets = np.ascontiguousarray(chunk.T).reshape(-1)
    return _choose.encode(octets, _choose.Geometry((64, 64, 64), 1), _choose.choice_of(codec, "balanced", None, "normal"))


class Slices(Folder):
    def test_like_numpy(self) -> None:
        volume = smooth((130, 70, 66, 2), "i2")
        array = stria.open(compress(self.npy(volume), self.folder / "a.stria"), threads=3)
        keys = [
            np.s_[10:20, :, 5],
            np.s_[...],
            np.s_[3],
            np.s_[-1, 2:, ..., 1],
            np.s_[::7, ::-3, 65:2:-11, 0],
            np.s_[5, 6, 7, 1],
            np.s_[20:10],
            np.s_[:, :, :, 1],
            np.s_[np.int64(4), ..., -2:],
            np.s_[129:128:-1, 64:65],
        ]
        for key in keys:
            with self.subTest(key=key):
                got = array[key]
                np.testing.assert_array_equal(got, volume[key])
                self.assertEqual(type(got), type(volume[key]))
        for key in (np.s_[130], np.s_[0, 0, 0, 0, 0], np.s_[[1, 2]], np.s_[None], np.s_[..., ...]):
            with self.assertRaises(IndexError):
                array[key]

    def test_interleaved_time_points(self) -> None:
        volume = smooth((70, 66, 67, 11), "i2")
        array = stria.open(compress(self.npy(volume), self.folder / "a.stria", "--codec", "rice", "--time-group", 4))
        self.assertEqual(array.chunks[3], 4)
        np.testing.assert_array_equal(np.asarray(array), volume)
        np.testing.assert_array_equal(array[60:66, 5, 2:7:2, 9:2:-3], volume[60:66, 5, 2:7:2, 9:2:-3])

    def test_reads_only_the_chunks_needed(self) -> None:
        volume = np.random.default_rng(1).integers(0, 256, (192, 192, 192), "u1")
        file = compress(self.npy(volume), self.folder / "a.stria").read_bytes()

        class Counting(io.BytesIO):
            count = 0

            def read(self, length: int | None = -1) -> bytes:  # type: ignore[override]
                Counting.count += length or 0
                return super().read(length)

        array = stria.open(Counting(file))
        opened = Counting.count
        self.assertLess(opened, 3 * 65_536)
        np.testing.assert_array_equal(array[60:70, 5, 5], volume[60:70, 5, 5])
        # Two of 27 chunks of 64³ bytes, which noise does not make smaller.
        self.assertLess(Counting.count - opened, 2 * 64**3 + 1000)

    def test_levels_are_skipped(self) -> None:
        volume = smooth((150, 140, 130), "i2")
        file = compress(self.npy(volume), self.folder / "levels.stria", "--levels")
        self.assertIn(b"levl", file.read_bytes())
        np.testing.assert_array_equal(np.asarray(stria.open(file)), volume)

    def test_4_gib_within_200_mib(self) -> None:
        # Zeros, but for one line along x in three planes.
        dims, out = (2048, 1024, 2048), self.folder / "big.stria"
        voxels = np.zeros((64, 64, 64), "u1")
        empty = encode_chunk(voxels, "rle")
        coded: dict[tuple[int, int, int], Any] = {}
        for x, plane in itertools.product(range(32), (0, 700, 2047)):
            voxels[:] = 0
            voxels[:, 0, plane % 64] = np.arange(x * 64, x * 64 + 64) % 256
            coded[x, 512 // 64, plane // 64] = encode_chunk(voxels, "rle")
        write_large(out, dims, lambda *place: coded.get(place, empty))
        code = f"""
import stria, numpy as np
a = stria.open({str(out)!r})
assert a.shape == {dims} and a.nbytes == 2**32
line = np.tile(np.arange(256, dtype='u1'), 8)
assert (a[:, 512, 700] == line).all() and (a[:, 511, 700] == 0).all()
assert (a[:, :, 2047][:, 512] == line).all()
assert (a[100, 500:600, :] != 0).sum() == 3
assert a[::97, ::97, ::97].any() == False
{PRINT_PEAK}"""
        most = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        self.assertLess(most, 200)

    def test_4_gib_of_coded_chunks_within_200_mib(self) -> None:
        # One chunk of 64³ voxels, 16384 times. wave takes the most memory to decode, but much longer than labels.
        chunk, path = labels((64, 64, 64), "u1"), self.folder / "coded.stria"
        slow, fast = encode_chunk(chunk, "wave"), encode_chunk(chunk, "labels")
        write_large(path, (2048, 2048, 1024, 1), lambda x, y, z: slow if (x + y + z) % 8 == 0 else fast)
        np.save(self.folder / "chunk.npy", chunk)
        code = f"""
import stria, numpy as np
a = stria.open({str(path)!r})
chunk = np.load({str(self.folder / "chunk.npy")!r})
assert a.nbytes == 2**32
assert (a[:, :, 1000] == np.tile(chunk[:, :, 1000 % 64], (32, 32))).all()
assert (a[:, 70, :] == np.tile(chunk[:, 6, :], (32, 16))).all()
assert (a[2000] == np.tile(chunk[2000 % 64], (32, 16))).all()
assert (a[:64, 64:128, -64:] == chunk).all()
{PRINT_PEAK}"""
        most = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        self.assertLess(most, 200)


class FileObjects(Folder):
    def test_files_that_know_their_size(self) -> None:
        """As those of fsspec do."""

        class Sized(io.BytesIO):
            size = 0

        volume = smooth((20, 21, 22), "i2")
        octets = compress(self.npy(volume), self.folder / "a.stria").read_bytes()
        array = stria.open(Sized(octets))
        np.testing.assert_array_equal(array[3:9], volume[3:9])
        copy = pickle.loads(pickle.dumps(stria.open(io.BytesIO(octets))))
        np.testing.assert_array_equal(np.asarray(copy), volume)


class Faults(unittest.TestCase):
    def test_golden_and_faulty_files(self) -> None:
        """Every line of testdata/README.md: what reading says. Nothing that only concerns the source is read here."""
        lines = re.findall(r"^\| `([\w-]+\.stria)` \| .* \| ([^|]+) \| [^|]+ \|$", (TESTDATA / "README.md").read_text(), re.M)
        self.assertGreater(len(lines), 20)
        for name, verdict in lines:
            with self.subTest(file=name):
                if b'"requires": ["part"]' in (TESTDATA / name).read_bytes():
                    with self.assertRaisesRegex(stria.UnsupportedError, "join all parts with 'stria merge'"):
                        stria.open(TESTDATA / name)
                    continue
                # The others are faults of levels and of the source's description, which are not read here.
                unread = ("description of the source", "is not stored with", "BLOB record")
                if verdict == "whole" or name.startswith("level") or any(words in verdict for words in unread):
                    array = stria.open(TESTDATA / name, fill=0)
                    self.assertEqual(np.asarray(array).shape, array.shape)
                    continue
                error = {"corrupt": stria.CorruptError, "unsupported": stria.UnsupportedError}[verdict.split(":")[0]]
                with self.assertRaises(error) as caught:
                    np.asarray(stria.open(TESTDATA / name))
                said = verdict.split(": ", 1)[1]
                if name != "too-many-chunks.stria":
                    self.assertEqual(str(caught.exception), said)

    def test_levels(self) -> None:
        level = stria.open(TESTDATA / "levels.stria", level=1)
        self.assertEqual(np.asarray(level)[:, 0, 0].tolist(), [8, 10, 12])
        self.assertEqual(level.spacing, (2, 2, 2))
        self.assertEqual(level.affine[0].tolist(), [1, 0, 0, -0.75])
        with self.assertRaisesRegex(ValueError, "there is no level 2: the file has 1"):
            stria.open(TESTDATA / "levels.stria", level=2)
        with self.assertRaises(ValueError):
            stria.open(TESTDATA / "small.stria", level=1)
        with self.assertRaisesRegex(stria.CorruptError, "levl record"):
            stria.open(TESTDATA / "levels-by-three.stria", level=1)
        with self.assertRaisesRegex(stria.CorruptError, "of level 2"):
            np.asarray(stria.open(TESTDATA / "level-of-another.stria", level=1))
        (after_left_out,) = stria.open(TESTDATA / "levels-left-out.stria").levels
        self.assertEqual(np.asarray(after_left_out)[:, 0, 0].tolist(), list(range(128)))
        self.assertEqual(after_left_out.spacing, (16, 1, 1))
        with self.assertRaises(stria.CorruptError):
            stria.open(TESTDATA / "levels-left-out-number.stria").levels

    def test_chunks_of_a_level_are_limited(self) -> None:
        octets = bytearray((TESTDATA / "levels.stria").read_bytes())
        at = octets.index(b"levl")
        length = _records.record_length(bytes(octets[at:]), at) or 0
        record = _records.parse_record(bytes(octets[at : at + length]), at, "levl")
        huge = bytes(record.meta[:20]) + struct.pack("<3I", 2**20, 2**20, 2**20)
        octets[at : at + length] = _records.encode_record("levl", at, bytes(record.body), huge)
        with self.assertRaisesRegex(stria.CorruptError, "level 1 is impossible: chunks of 1048576×1048576×1048576×1 elements exceed"):
            stria.open(io.BytesIO(octets), level=1)

    def test_damaged_payloads_and_chains(self) -> None:
        for folder in ("codecs", "chains", "parle"):
            for file in sorted((TESTDATA / folder).glob("*.stria")):
                with self.subTest(file=file.name):
                    if re.search(r"^(huffman|labels|raw|rice|rice-max|rle|wave|golden|\w+-huffman)\.stria$", file.name):
                        np.asarray(stria.open(file))
                    else:
                        with self.assertRaises(stria.StriaError):
                            np.asarray(stria.open(file))

    def test_every_flipped_byte_is_an_error_or_changes_nothing(self) -> None:
        for name in ("small", "series", "ramps", "codecs/rice", "codecs/labels", "chains/predict-huffman", "parle/golden"):
            whole = (TESTDATA / f"{name}.stria").read_bytes()
            expected = np.asarray(stria.open(io.BytesIO(whole), threads=1))
            # Prime steps after the header.
            for at in [*range(400), *range(400, min(len(whole), 2000), 3), *range(2000, len(whole), 97)]:
                damaged = bytearray(whole)
                damaged[at] ^= 1 << (at % 8)
                try:
                    got = np.asarray(stria.open(io.BytesIO(bytes(damaged)), threads=1))
                except stria.StriaError:
                    continue
                if not (got.dtype == expected.dtype and np.array_equal(got, expected)):
                    self.fail(f"{name}: byte {at} gives other voxels and no error")

    def test_cut_files(self) -> None:
        whole = (TESTDATA / "series.stria").read_bytes()
        for length in range(0, len(whole), 7):
            with self.assertRaises(stria.CorruptError):
                stria.open(io.BytesIO(whole[:length]))

    def test_what_is_no_file(self) -> None:
        with self.assertRaises(stria.NotReadableError):
            stria.open("/nowhere/a.stria")
        with self.assertRaises(stria.CorruptError):
            stria.open(io.BytesIO(b"something else" * 100))

    def test_lost_chunks(self) -> None:
        array = stria.open(TESTDATA / "recovered.stria")
        self.assertEqual(array.lost_chunks, 3)
        with self.assertRaisesRegex(stria.CorruptError, "lost"):
            np.asarray(array)
        filled = np.asarray(stria.open(TESTDATA / "recovered.stria", fill=9))
        whole = np.asarray(stria.open(TESTDATA / "series.stria"))
        self.assertTrue(((filled == whole) | (filled == 9)).all())


class Header(Folder):
    def test_numbers_beyond_doubles(self) -> None:
        """As JavaScript reads them."""
        for digits, value in ((10**400, np.inf), (-(10**400), -np.inf)):
            self.assertEqual(_header.number(digits, "a number"), value)

    def test_geometry_and_metadata(self) -> None:
        array = stria.open(TESTDATA / "small.stria")
        self.assertEqual(array.affine.tolist(), [[0.5, 0, 0, -1], [0, 0.5, 0, -1], [0, 0, 2, 0], [0, 0, 0, 1]])
        self.assertEqual(array.spacing, (0.5, 0.5, 2.0))
        self.assertEqual((array.metadata["spatialUnit"], array.metadata["source"]), ("mm", "raw"))
        doubles = stria.open(TESTDATA / "doubles.stria")
        self.assertTrue(np.isnan(doubles.slope))
        self.assertEqual(np.asarray(doubles)[:, 0, 0].tolist(), [1.5, 0.0, -np.inf])
        channels = stria.open(TESTDATA / "channels.stria").metadata["channels"]
        self.assertEqual(len(channels), 2)

    def test_beside_nibabel(self) -> None:
        try:
            import nibabel
        except ImportError:
            self.skipTest("nibabel is not installed")
        affine = np.array([[-2, 0.1, 0, 90], [0, 2.5, 0.3, -126], [0.2, 0, 3, -72], [0, 0, 0, 1]])
        volume = smooth((40, 50, 30, 3), "i2")
        image = nibabel.Nifti1Image(volume, affine)
        image.header.set_xyzt_units("mm", "sec")
        nibabel.save(image, self.folder / "a.nii")
        array = stria.open(compress(self.folder / "a.nii", self.folder / "a.stria"))
        read = nibabel.load(self.folder / "a.nii")
        self.assertEqual(array.shape, read.shape)
        np.testing.assert_array_equal(np.asarray(array), np.asarray(read.dataobj))
        np.testing.assert_array_equal(array.affine, read.affine)
        np.testing.assert_allclose(array.spacing, read.header.get_zooms(), rtol=1e-6)


class Levels(Folder):
    def test_levels_are_read_once(self) -> None:
        reads: list[int] = []

        class Counting(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                reads.append(size or 0)
                return super().read(size)

        source = self.npy(smooth((600, 300, 70), "u1"))
        array = stria.open(Counting(compress(source, self.folder / "a.stria", "--levels").read_bytes()))
        opening = len(reads)
        levels = array.levels
        self.assertGreater(len(levels), 1)
        # The volume again, the file's end, and a read for each level.
        self.assertLessEqual(len(reads), 2 * opening + 1 + len(levels))


class Elsewhere(Folder):
    def test_dask(self) -> None:
        try:
            import dask.array
        except ImportError:
            self.skipTest("dask is not installed")
        volume = smooth((100, 90, 70), "u2")
        array = stria.open(compress(self.npy(volume), self.folder / "a.stria"))
        lazy = dask.array.from_array(array)
        self.assertEqual(lazy.shape, volume.shape)
        self.assertTrue(all(length % chunk == 0 for length, chunk in zip(lazy.chunksize, array.chunks)) or lazy.numblocks == (1, 1, 1))
        self.assertEqual(int(lazy.astype("u8").sum().compute()), int(volume.astype("u8").sum()))
        by_chunks = dask.array.from_array(array, chunks=array.chunks)
        self.assertEqual(by_chunks.numblocks, (2, 2, 2))
        np.testing.assert_array_equal(by_chunks[::2, 5].compute(), volume[::2, 5])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(array))[5], volume[5])

    def test_threads_share_an_array(self) -> None:
        volume = smooth((150, 130, 70), "u2")
        array = stria.open(compress(self.npy(volume), self.folder / "a.stria", "--codec", "rice"), threads=4)
        faults: list[BaseException] = []

        def work(seed: int) -> None:
            random = np.random.default_rng(seed)
            try:
                for _ in range(20):
                    low = random.integers(0, 60, 3)
                    key = tuple(slice(int(at), int(at) + 70) for at in low)
                    np.testing.assert_array_equal(array[key], volume[key])
            except BaseException as error:
                faults.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])

    @unittest.skipUnless(hasattr(os, "fork"), "processes are not forked here")
    def test_a_forked_process_has_threads_of_its_own(self) -> None:
        volume = smooth((150, 130, 70), "u2")
        array = stria.open(compress(self.npy(volume), self.folder / "a.stria"), threads=2)
        np.testing.assert_array_equal(array[...], volume)
        check = lambda: np.testing.assert_array_equal(array[...], volume)  # noqa: E731
        process = multiprocessing.get_context("fork").Process(target=check)
        process.start()
        process.join(60)
        process.kill()
        process.join()
        self.assertEqual(process.exitcode, 0)

    def test_a_server(self) -> None:
        volume = smooth((100, 60, 50), "u1")
        file = compress(self.npy(volume), self.folder / "a.stria").read_bytes()
        asked: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                if self.path not in ("/a.stria", "/%C3%A4%20b.stria", "/short.stria") or wanted is None:
                    self.send_error(404)
                    return
                asked.append(self.headers["Range"])
                first, last = int(wanted[1]), min(int(wanted[2]), len(file) - 1)
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(file)}")
                self.send_header("Content-Length", str(last - first + 1))
                self.end_headers()
                # One file breaks off in the middle of an answer.
                self.wfile.write(file[first : first + 1 if self.path == "/short.stria" else last + 1])

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = f"http://127.0.0.1:{server.server_address[1]}"
        array = stria.open(f"{address}/a.stria")
        np.testing.assert_array_equal(array[30:40, :, 5], volume[30:40, :, 5])
        self.assertGreater(len(asked), 2)
        for name in ("ä b.stria", "%C3%A4%20b.stria"):
            self.assertEqual(stria.open(f"{address}/{name}").shape, volume.shape)
        with self.assertRaises(stria.NotReadableError):
            stria.open(f"{address}/b.stria")
        with self.assertRaises(stria.NotReadableError):
            stria.open(f"{address}/short.stria")


if __name__ == "__main__":
    unittest.main()
