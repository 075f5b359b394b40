"""The ranking of codecs for 'auto': the costs of src/core/chunks/auto.ts, to the last bit."""

import json
import subprocess
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from common import ROOT
from stria._codecs import Geometry
from stria._rank import Survey, expm1, rank


class Ranking(unittest.TestCase):
    def test_random_surveys(self) -> None:
        random = np.random.default_rng(3)
        cases: list[dict[str, Any]] = []
        for i in range(400):
            shape = [int(length) for length in random.integers(1, 66, 3)]
            if i % 4 == 0:
                shape = [64, 64, 64]
            width = int(random.choice([1, 2, 4]))
            count = shape[0] * shape[1] * shape[2]
            sampled = shape[0] * -(-shape[1] // 8) * shape[2]
            scale = 2.0 ** random.uniform(-6, 0)
            steps = int(random.integers(0, sampled + 1) * scale)
            costs = [int(one) for one in sampled * 16 * scale * random.uniform(0.2, 1, 6)]
            surveyed = {
                "changes": [int(one * scale) for one in random.integers(0, count + 1, 3)],
                "sampledElements": sampled,
                "riceBits": costs[:5],
                "softBits": costs[5],
                "steps": steps,
                "spikes": int(steps * random.random()),
            }
            options = {
                "prefer": str(random.choice(["size", "balanced", "speed"])),
                "axis": str(random.choice(["auto", "x", "y", "z"])),
                "effort": str(random.choice(["normal", "max"])),
            }
            numbers = [float(one) for one in random.choice([-1, 1], 20) * 10.0 ** random.uniform(-18, 2.8, 20)]
            cases.append({"surveyed": surveyed, "chunk": {"shape": shape, "elementBytes": width}, "options": options, "arguments": numbers})
        script = Path(__file__).with_name("rank.mjs")
        run = subprocess.run(["node", script], input=json.dumps(cases), stdout=subprocess.PIPE, check=True, cwd=ROOT, text=True)
        for case, expected in zip(cases, json.loads(run.stdout, parse_int=float), strict=True):
            found, options = case["surveyed"], case["options"]
            survey = Survey(
                tuple(found["changes"]), found["sampledElements"], tuple(found["riceBits"]), found["softBits"], found["steps"], found["spikes"]
            )  # fmt: skip
            axis = None if options["axis"] == "auto" else "xyz".index(options["axis"])
            chunk = Geometry(tuple(case["chunk"]["shape"]), case["chunk"]["elementBytes"])
            ranked = rank(survey, chunk, options["prefer"], axis, options["effort"] == "max")
            own = [[one.codec.name, one.second and one.second.name, one.cost] for one in ranked]
            self.assertEqual(own, expected["ranked"], case)
            self.assertEqual([expm1(one) for one in case["arguments"]], expected["expm1"], case["arguments"])


if __name__ == "__main__":
    unittest.main()
