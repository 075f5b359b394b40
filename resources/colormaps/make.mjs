// Creates the computed colormaps of this folder: `node resources/colormaps/make.mjs`. Each file holds 256 sRGB colours,
// lowest first, and gives its source. The others are the authors' own tables, value for value:
//   viridis, magma, inferno, plasma  Stéfan van der Walt and Nathaniel Smith, for matplotlib: CC0
//   cividis  Nuñez, Anderton and Renslow, PLOS ONE 13:e0199239 (2018), as in matplotlib: CC0
//   turbo    Anton Mikhailov, Google (2019), as in matplotlib: Apache 2.0
//   batlow   Fabio Crameri, Scientific colour maps 7.0.1 (2021): MIT
// NOTICE.md has the terms of the last two.
import { writeFileSync } from 'node:fs';

const clamp = (value) => Math.min(1, Math.max(0, value));
const at = (make) => Array.from({ length: 256 }, (_, index) => make(index / 255).map(clamp));

/** Interpolates between control points [position, r, g, b]. */
const through = (points) =>
  at((t) => {
    const upper = Math.max(
      1,
      points.findIndex(([position]) => position >= t),
    );
    const [from, ...low] = points[upper - 1];
    const [to, ...high] = points[upper];
    return low.map((value, channel) => value + ((high[channel] - value) * (t - from)) / (to - from));
  });

/** OKLab coordinates of an sRGB colour. */
function oklab(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/**
 * Black, then 255 colours, each as far in OKLab from all earlier ones as a grid of sRGB colours allows (after Glasbey et al.
 * 2007).
 */
function labels() {
  const candidates = [];
  for (let code = 0; code < 24 ** 3; code++) {
    const rgb = [code % 24, Math.floor(code / 24) % 24, Math.floor(code / 576)].map((step) => step / 23);
    const lab = oklab(rgb);
    // Dark and near-white ones could be confused with background and highlights.
    if (lab[0] > 0.42 && lab[0] < 0.95) candidates.push({ rgb, lab, distance: Number.POSITIVE_INFINITY });
  }
  const chosen = [[0, 0, 0]];
  let last = oklab([0, 0, 0]);
  while (chosen.length < 256) {
    for (const candidate of candidates) {
      const distance = Math.hypot(...candidate.lab.map((value, axis) => value - last[axis]));
      candidate.distance = Math.min(candidate.distance, distance);
    }
    const best = candidates.reduce((far, candidate) => (candidate.distance > far.distance ? candidate : far));
    chosen.push(best.rgb);
    last = best.lab;
  }
  return chosen;
}

const own = 'Made for Stria.';
const classic = 'After the map of that name in MATLAB, by its straight lines.';
const maps = {
  gray: ['Gray', own, at((t) => [t, t, t])],
  bone: [
    'Bone',
    classic,
    through([
      [0, 0, 0, 0],
      [0.365079, 0.319444, 0.319444, 0.444444],
      [0.746032, 0.652778, 0.777778, 0.777778],
      [1, 1, 1, 1],
    ]),
  ],
  hot: [
    'Hot',
    classic,
    through([
      [0, 0.0416, 0, 0],
      [0.365079, 1, 0, 0],
      [0.746032, 1, 1, 0],
      [1, 1, 1, 1],
    ]),
  ],
  difference: [
    'Difference',
    `${own} Blue below the middle, orange above; the middle is near black.`,
    through([
      [0, 0.45, 0.82, 1],
      [0.25, 0.13, 0.47, 0.88],
      [0.5, 0.13, 0.135, 0.15],
      [0.75, 0.85, 0.36, 0.12],
      [1, 1, 0.8, 0.38],
    ]),
  ],
  labels: ['Labels', `${own} Colour 0 is background; neighbours in the list are far apart.`, labels()],
};

for (const [name, [title, source, colors]] of Object.entries(maps)) {
  const hex = colors.map((rgb) =>
    rgb
      .map((c) =>
        Math.round(c * 255)
          .toString(16)
          .padStart(2, '0'),
      )
      .join(''),
  );
  writeFileSync(
    new URL(`${name}.json`, import.meta.url),
    `${JSON.stringify({ title, source, licence: 'MIT', colors: hex.join(' ') }, null, 2)}\n`,
  );
}
