"""The napari reader, without napari: what it returns, and what npe2 makes of the manifest, where that is installed."""

import unittest
from importlib.resources import files

import numpy as np

import stria
from common import Folder, smooth
from stria import napari


class Reader(Folder):
    def test_layers(self) -> None:
        volume = smooth((40, 50, 30, 3), "u2")
        path = str(self.folder / "a.stria")
        stria.save(volume, path, affine=np.diag([0.5, 1, 2, 1]))
        read = napari.reader(path)
        assert read is not None
        [(data, options, kind)] = read([path])
        self.assertEqual((options, kind), ({"name": "a.stria", "scale": (1.0, 2.0, 1.0, 0.5), "rgb": False}, "image"))
        reverse = volume.T
        self.assertEqual((data.shape, data.dtype, data.ndim, len(data)), (reverse.shape, reverse.dtype, 4, 3))
        for key in (np.s_[1], np.s_[2, 5], np.s_[0, :, 20:30, ::3], np.s_[..., 7], np.s_[1, 2, 3, 4], np.s_[:]):
            np.testing.assert_array_equal(data[key], reverse[key])
        np.testing.assert_array_equal(np.asarray(data), reverse)
        self.assertIsNone(napari.reader("a.nii"))

    def test_manifest(self) -> None:
        text = (files("stria") / "napari.yaml").read_text()
        self.assertIn("python_name: stria.napari:reader", text)
        try:
            from npe2 import PluginManager, PluginManifest, read
        except ImportError:
            self.skipTest("npe2 is not installed")
        manifest = PluginManifest.from_distribution("stria")
        manifest.validate_imports()
        PluginManager.instance().register(manifest)
        volume, path = smooth((20, 30, 40), "u2"), str(self.folder / "a.stria")
        stria.save(volume, path)
        [(data, _, kind)] = read([path], stack=False)
        self.assertEqual(kind, "image")
        np.testing.assert_array_equal(np.asarray(data), volume.T)


if __name__ == "__main__":
    unittest.main()
