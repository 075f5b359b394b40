"""Writes filters.h5, and some of its datasets alone: python3 make-filters.py

Debian packages: python3-h5py, python3-hdf5plugin, hdf5-filter-plugin, hdf5-filter-plugin-blosc-serial, hdf5-filter-plugin-zfp-serial.
Debian has no plugins for Bitshuffle and Zstandard, so those chunks are encoded here.
"""

import ctypes
import pathlib
import struct

import h5py
import hdf5plugin
import numpy as np

z, y, x = np.indices((4, 12, 20))
values = (x * 3 + y * y + z * 100).astype(np.uint16)
chunks = (4, 12, 16)


def lz4(data: bytes) -> bytes:
    out = ctypes.create_string_buffer(len(data) * 2 + 64)
    length = ctypes.CDLL("liblz4.so.1").LZ4_compress_default(data, out, len(data), len(out))
    return out.raw[:length]


def zstd(data: bytes) -> bytes:
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    out = ctypes.create_string_buffer(len(data) * 2 + 64)
    length = library.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:length]


def transposed(block: np.ndarray) -> bytes:
    """The lowest bits of all elements, then the next ones …"""
    bits = np.unpackbits(block.view(np.uint8).reshape(len(block), block.itemsize), axis=1, bitorder="little")
    return np.packbits(bits.T, axis=1, bitorder="little").tobytes()


def bitshuffle(data: np.ndarray, compress, elements: int) -> bytes:
    """The format of https://github.com/kiyo-masui/bitshuffle: sizes are big-endian; the last elements are not compressed."""
    flat = data.reshape(-1)
    out = struct.pack(">QI", flat.nbytes, elements * flat.itemsize)
    whole = len(flat) // 8 * 8
    for at in range(0, whole, elements):
        block = compress(transposed(flat[at : min(at + elements, whole)]))
        out += struct.pack(">I", len(block)) + block
    return out + flat[whole:].tobytes()


def add_encoded(file: h5py.File, name: str, number: int, options: tuple, encode) -> None:
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunks)
    properties.set_filter(number, h5py.h5z.FLAG_OPTIONAL, options)
    space = h5py.h5s.create_simple(values.shape)
    dataset = h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_U16LE, space, properties)
    for start in range(0, values.shape[2], chunks[2]):
        chunk = np.zeros(chunks, np.uint16)
        part = values[:, :, start : start + chunks[2]]
        chunk[:, :, : part.shape[2]] = part
        dataset.write_direct_chunk((0, 0, start), encode(chunk))


filters = {
    "lzf": {"compression": "lzf"},
    "lzf-shuffle": {"compression": "lzf", "shuffle": True},
    "blosc-lz4": hdf5plugin.Blosc(cname="lz4", shuffle=hdf5plugin.Blosc.BITSHUFFLE),
    "blosc-zstd": hdf5plugin.Blosc(cname="zstd"),
    "blosc-blosclz": hdf5plugin.Blosc(cname="blosclz"),
    "blosc-zlib": hdf5plugin.Blosc(cname="zlib"),
    "bzip2": hdf5plugin.BZip2(),
    "lz4": hdf5plugin.LZ4(),
}
with h5py.File(pathlib.Path(__file__).with_name("filters.h5"), "w", libver="latest") as file:
    for name, options in filters.items():
        file.create_dataset(name, data=values, chunks=chunks, **options)
    # ZFP's lossless mode.
    file.create_dataset("zfp", data=values.astype(np.float32), chunks=chunks, **hdf5plugin.Zfp(reversible=True))
    add_encoded(file, "zstandard", 32015, (3,), lambda chunk: zstd(chunk.tobytes()))
    add_encoded(file, "bitshuffle-lz4", 32008, (0, 4, 2, 0, 2), lambda chunk: bitshuffle(chunk, lz4, 256))
    add_encoded(file, "bitshuffle-zstd", 32008, (0, 4, 2, 0, 3, 3), lambda chunk: bitshuffle(chunk, zstd, 256))

with h5py.File(pathlib.Path(__file__).with_name("lzf.h5"), "w", libver="latest") as file:
    file.create_dataset("lzf-shuffle", data=values, chunks=chunks, **filters["lzf-shuffle"])
with h5py.File(pathlib.Path(__file__).with_name("blosc.h5"), "w", libver="latest") as file:
    file.create_dataset("blosc-lz4", data=values, chunks=chunks, **filters["blosc-lz4"])
with h5py.File(pathlib.Path(__file__).with_name("bitshuffle.h5"), "w", libver="latest") as file:
    add_encoded(file, "bitshuffle-zstd", 32008, (0, 4, 2, 0, 3, 3), lambda chunk: bitshuffle(chunk, zstd, 256))

# Virtual datasets with values in the same file.
with h5py.File(pathlib.Path(__file__).with_name("virtual.h5"), "w", libver="latest") as file:
    numbers = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
    for name in ("lzf", "gzip"):
        file.create_dataset(name, data=numbers, chunks=(1, 3, 4), compression=name)
        layout = h5py.VirtualLayout(shape=numbers.shape, dtype=numbers.dtype)
        layout[:] = h5py.VirtualSource(".", name, shape=numbers.shape)
        file.create_virtual_dataset(f"of-{name}", layout)
