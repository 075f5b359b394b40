"""The Zarr codec: the sample data, which JavaScript wrote, and random chunks. With zarr-python 3, arrays too."""

import json
import subprocess
import unittest
from typing import Any

import numpy as np

import stria
from common import ROOT, TESTDATA, smooth
from stria.zarr import StriaCodec, decode_chunk, encode_chunk


_SCRIPT = """
import { striaCodec } from './out/lib/zarr.js';
import { buffer } from 'node:stream/consumers';
const [shape, configuration] = process.argv.slice(1).map((word) => JSON.parse(word));
const data = new Int16Array(Uint8Array.from(await buffer(process.stdin)).buffer);
const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, length) => product * length, 1));
process.stdout.write(striaCodec.fromConfig(configuration, { dataType: 'int16', shape }).encode({ data, shape, stride }));
"""


def _by_javascript(array: "np.ndarray[Any, Any]", configuration: dict[str, str]) -> bytes:
    words = ["node", "--input-type=module", "-e", _SCRIPT, json.dumps(array.shape), json.dumps(configuration)]
    return subprocess.run(words, input=array.tobytes(), stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout


class Chunks(unittest.TestCase):
    def test_sample_data(self) -> None:
        i, j, k = np.indices((5, 6, 7))
        rows = np.indices((3, 5))
        steps = np.arange(16)
        kinds = np.stack([np.full(16, -7), 3 * steps, steps * steps % 11])
        for name, expected in (("edges", i * 40 + j * 7 + k), ("doubles", (10 * rows[0] + rows[1]) / 4), ("kinds", kinds)):
            meta = json.loads((TESTDATA / "zarr" / name / "zarr.json").read_text())
            shape, cut = tuple(meta["shape"]), tuple(meta["chunk_grid"]["configuration"]["chunk_shape"])
            counts = [-(-length // edge) for length, edge in zip(shape, cut)]
            whole = np.zeros([count * edge for count, edge in zip(counts, cut)], meta["data_type"])
            for place in np.ndindex(*counts):
                octets = (TESTDATA / "zarr" / name / "c" / "/".join(map(str, place))).read_bytes()
                chunk = decode_chunk(octets, cut, np.dtype(meta["data_type"]))
                whole[tuple(slice(at * edge, (at + 1) * edge) for at, edge in zip(place, cut))] = chunk
                if name == "kinds":
                    self.assertEqual(encode_chunk(chunk, "rle"), octets)
            np.testing.assert_array_equal(whole[tuple(map(slice, shape))], expected)

    def test_the_bytes_are_javascripts(self) -> None:
        volume = smooth((66, 40, 30), "i2")
        for configuration in ({}, {"prefer": "size"}, {"codec": "wave"}, {"codec": "rice", "effort": "max"}):
            with self.subTest(**configuration):
                self.assertEqual(encode_chunk(volume, **configuration), _by_javascript(volume, configuration))

    def test_every_kind_of_array(self) -> None:
        for dtype in ("?", "i1", "u2", ">i4", "f2", "f4", "f8", "i8", "u8", "c8", "c16"):
            for shape in ((), (9,), (12, 20), (3, 4, 5, 6)):
                array = smooth((*shape, 1), "f8")[..., 0].astype(dtype) if shape else np.array(3).astype(dtype)
                for codec in ("auto", "predict+huffman", "rle", "labels", "wave"):
                    with self.subTest(dtype=dtype, shape=shape, codec=codec):
                        np.testing.assert_array_equal(decode_chunk(encode_chunk(array, codec), shape, array.dtype), array)

    def test_other_elements_are_refused(self) -> None:
        for dtype in ("S3", "S6", "V10"):
            with self.assertRaises(stria.UnsupportedError):
                encode_chunk(np.zeros(16, dtype))
            with self.assertRaises(stria.UnsupportedError):
                decode_chunk(encode_chunk(np.zeros(16, "u4")), (16,), np.dtype(dtype))

    def test_damage(self) -> None:
        octets = encode_chunk(smooth((8, 30, 30), "u2"), "rice")
        for at in range(0, len(octets), 7):
            damaged = bytearray(octets)
            damaged[at] ^= 16
            with self.assertRaises(stria.StriaError):
                decode_chunk(bytes(damaged), (8, 30, 30), np.dtype("u2"))
        for length in range(0, len(octets), 50):
            with self.assertRaises(stria.CorruptError):
                decode_chunk(octets[:length], (8, 30, 30), np.dtype("u2"))

    def test_metadata(self) -> None:
        codec = StriaCodec.from_dict({"name": "stria", "configuration": {"codec": "rice"}})
        self.assertEqual(codec.to_dict(), {"name": "stria", "configuration": {"codec": "rice", "effort": "normal", "prefer": "balanced"}})
        self.assertEqual(StriaCodec.from_dict({"name": "stria"}).codec, "auto")

    def test_zarr_3(self) -> None:
        try:
            from zarr.abc.codec import ArrayBytesCodec  # noqa: F401
        except ImportError:
            self.skipTest("zarr-python 3 is not installed")
        import zarr
        from zarr.core.buffer.cpu import Buffer

        def stored(array: "np.ndarray[Any, Any]", codec: str = "auto", **options: Any) -> tuple[dict[str, Any], Any]:
            store: dict[str, Any] = {}
            options = {"chunks": array.shape, "compressors": None, **options}
            made = zarr.create_array(store, shape=array.shape, dtype=array.dtype, serializer=StriaCodec(codec), **options)
            made[:] = array
            return store, zarr.open_array(store, mode="r")

        volume = smooth((40, 50, 70), "f8")
        for dtype in ("bool", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"):
            with self.subTest(dtype=dtype):
                _, array = stored(volume.astype(dtype), chunks=(32, 32, 64))
                np.testing.assert_array_equal(array[:], volume.astype(dtype))
                np.testing.assert_array_equal(array[3:35, 7, ::9], volume.astype(dtype)[3:35, 7, ::9])
        scan = volume.astype("i2")
        for options in (
            {"chunks": (16, 16, 32), "shards": (32, 32, 64)},
            {"filters": [zarr.codecs.TransposeCodec(order=(2, 1, 0))], "compressors": [zarr.codecs.GzipCodec()]},
        ):
            np.testing.assert_array_equal(stored(scan, "rice", **options)[1][:], scan)

        store, array = stored(scan, "rice")
        octets = bytearray(store["c/0/0/0"].to_bytes())
        octets[len(octets) // 2] ^= 16
        store["c/0/0/0"] = Buffer.from_bytes(bytes(octets))
        with self.assertRaises(stria.CorruptError):
            array[:]

        rows = np.indices((3, 5))
        doubles = zarr.open_group(str(TESTDATA / "zarr"), mode="r")["doubles"]
        np.testing.assert_array_equal(doubles[:], (10 * rows[0] + rows[1]) / 4)


if __name__ == "__main__":
    unittest.main()
