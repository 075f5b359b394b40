// Makes the JSON files of this folder: `node resources/colormaps/make.mjs`. Each holds 256 sRGB colours, lowest first.
import { writeFileSync } from 'node:fs';

const clamp = (value) => Math.min(1, Math.max(0, value));
const at = (make) => Array.from({ length: 256 }, (_, index) => make(index / 255).map(clamp));

/** Colours between control points [position, r, g, b]. */
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

/** Polynomials of degree 6, a row a coefficient, from the constant on. */
const polynomial = (rows) => at((t) => [0, 1, 2].map((channel) => rows.reduceRight((sum, row) => sum * t + row[channel], 0)));

const viridis = [
  [0.2777273272, 0.0054073445, 0.3340998053],
  [0.1050930431, 1.4046135299, 1.3845901626],
  [-0.3308618287, 0.2148475595, 0.095095163],
  [-4.6342304985, -5.7991009734, -19.332440956],
  [6.2282699363, 14.179933367, 56.690552601],
  [4.7763849977, -13.745145377, -65.353032633],
  [-5.4354558559, 4.6458526122, 26.31243525],
];
const magma = [
  [-0.0021364851, -0.0007496551, -0.0053861279],
  [0.2516605407, 0.6775232437, 2.4940265993],
  [8.3537172792, -3.577719515, 0.314467903],
  [-27.668733089, 14.264730781, -13.649213188],
  [52.176139812, -27.943606072, 12.944169442],
  [-50.768525365, 29.046582821, 4.234152994],
  [18.655705066, -11.48977352, -5.6019615087],
];
const inferno = [
  [0.0002189404, 0.0016510046, -0.0194808984],
  [0.1065134195, 0.5639564368, 3.9327123889],
  [11.602493082, -3.9728539657, -15.942394106],
  [-41.703996131, 17.436398882, 44.354145199],
  [77.1629357, -33.402358942, -81.807309257],
  [-71.319428245, 32.626064264, 73.209519858],
  [25.131126225, -12.242668952, -23.070325003],
];

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

/** Black, then 255 colours, each as far in OKLab from all before it as a grid of sRGB colours has one (after Glasbey et al. 2007). */
function labels() {
  const candidates = [];
  for (let code = 0; code < 24 ** 3; code++) {
    const rgb = [code % 24, Math.floor(code / 24) % 24, Math.floor(code / 576)].map((step) => step / 23);
    const lab = oklab(rgb);
    // Dark and near-white ones would be taken for background and for highlights.
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
const fitted = (name) =>
  `A polynomial approximation (degree 6, after Matt Zucker, CC0) of ${name} by Stéfan van der Walt and Nathaniel Smith (CC0); not its exact table.`;

const maps = {
  gray: ['Gray', own, at((t) => [t, t, t])],
  'gray-inverted': ['Inverted gray', own, at((t) => [1 - t, 1 - t, 1 - t])],
  bone: [
    'Bone',
    own,
    through([
      [0, 0, 0, 0],
      [0.375, 0.32, 0.32, 0.45],
      [0.75, 0.65, 0.78, 0.78],
      [1, 1, 1, 1],
    ]),
  ],
  hot: [
    'Hot',
    own,
    through([
      [0, 0, 0, 0],
      [0.375, 1, 0, 0],
      [0.75, 1, 1, 0],
      [1, 1, 1, 1],
    ]),
  ],
  viridis: ['Viridis', fitted('viridis'), polynomial(viridis)],
  magma: ['Magma', fitted('magma'), polynomial(magma)],
  inferno: ['Inferno', fitted('inferno'), polynomial(inferno)],
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
    `${JSON.stringify({ title, source, colors: hex.join(' ') }, null, 2)}\n`,
  );
}
