"""Compiles the codecs: native/generated is the C that wasm2c made of src/assembly (scripts/python-codecs.mjs)."""

import platform
from glob import glob
from os import environ
from os.path import dirname, join

from setuptools import Extension, setup

generated = sorted(glob(join("native", "generated", "*.c"), root_dir=dirname(__file__) or "."))
if not generated:
    raise SystemExit("native/generated is empty. In Stria's repository run: npm ci && npm run build")

# WebAssembly's vectors need SSE 4.1, which every 64-bit PC since 2008 has. Sums of products must round twice, as in WebAssembly.
flags = ["-O3", "-ffp-contract=off", "-w"]
if platform.machine() in ("x86_64", "AMD64") and "-arch" not in environ.get("ARCHFLAGS", ""):
    flags += ["-msse4.2", "-mpopcnt"]

setup(
    ext_modules=[
        Extension(
            "stria._engine",
            ["native/engine.c", *generated],
            include_dirs=["native", "native/generated"],
            extra_compile_args=flags,
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
