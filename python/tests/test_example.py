"""The example in python/README.md runs as it stands."""

import os
import re
import unittest

from common import ROOT, Folder


class Example(Folder):
    def test_readme(self) -> None:
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "python" / "README.md").read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 4)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        names: dict[str, object] = {}
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)


if __name__ == "__main__":
    unittest.main()
