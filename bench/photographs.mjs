// Whole files of 28 photographs by `rice`, `wave` and JPEG XL, as CSV: docs/PERFORMANCE.md, 'Sizes'.
//
//   apt-get download lomiri-wallpapers-16.04 mate-backgrounds plasma-workspace-wallpapers
//   for deb in *.deb; do dpkg -x "$deb" unpacked; done
//   npm run build && node bench/photographs.mjs unpacked
//
// Needs ffmpeg and cjxl. The photographs are all JPEG files of at least 2048 × 1536 of the first two packages, and six of the third.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const backgrounds = [
  'Bridge_by_Sander_Klootwijk',
  'Dragonfly_by_Bolly',
  'Picture_0B_by_freespace',
  'Wine_by_Jakkub_Mede',
  'aitzgorri_by_Aitzol_Berasategi',
  'analogpattern_by_Peter_Nerlich',
  'free_by_Peter_Nerlich',
  'friends_by_Aitzol_Berasategi',
  'greentock_by_Peter_Nerlich',
  'life_by_Aitzol_Berasategi',
  'picosdeeuropa_by_Aitzol_Berasategi',
  'seeding_by_Clements_Engelhardt',
  'sunset_by_Aitzol_Berasategi',
  'umang_by_Abhishek_Mudgal',
  'mate/abstract/Elephants_3840x2160',
  'mate/abstract/Elephants_5640x3172',
  ...['Aqua', 'Garden', 'LadyBird', 'TwoWings', 'Wood', 'YellowFlower'].map((name) => `mate/nature/${name}`),
];
const wallpapers = ['Autumn', 'BytheWater', 'ColorfulCups', 'EveningGlow', 'FallenLeaf', 'Path'];
const photographs = [
  ...backgrounds.map((name) => `usr/share/backgrounds/${name}.jpg`),
  ...wallpapers.map((name) => `usr/share/wallpapers/${name}/contents/images/2560x1600.jpg`),
];

const [width, height] = [2048, 1536];
const efforts = [3, 7];
/** Scaled down to cover the picture, cut in its middle, and gray. */
const filter = `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=area,crop=${width}:${height},format=gray`;

const [unpacked] = process.argv.slice(2);
if (unpacked === undefined) throw new Error('usage: node bench/photographs.mjs FOLDER-OF-UNPACKED-PACKAGES');
const folder = mkdtempSync(join(tmpdir(), 'stria-photographs-'));
const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
const sizeOf = (path) => statSync(path).size;

try {
  const layout = { dims: [width, height, 1], type: 'u8', endian: 'little', offset: 0, spacing: [1, 1, 1], unit: 'mm' };
  writeFileSync(join(folder, 'picture.raw.json'), JSON.stringify(layout));
  const [pgm, raw, out] = ['picture.pgm', 'picture.raw', 'picture'].map((name) => join(folder, name));
  console.log(`photograph,rice,wave,${efforts.map((effort) => `jxl -e ${effort}`).join(',')}`);
  for (const path of photographs) {
    run('ffmpeg', '-v', 'error', '-y', '-i', join(unpacked, path), '-vf', filter, '-pix_fmt', 'gray', pgm);
    writeFileSync(raw, readFileSync(pgm).subarray(-width * height));
    const sizes = ['rice', 'wave'].map((codec) => {
      run(
        'node',
        'out/main/cli.js',
        'compress',
        raw,
        '-o',
        `${out}.stria`,
        '--force',
        '--quiet',
        '--device',
        'cpu',
        '--codec',
        codec,
      );
      return sizeOf(`${out}.stria`);
    });
    for (const effort of efforts) {
      run('cjxl', pgm, `${out}.jxl`, '-d', '0', '-e', String(effort), '--quiet');
      sizes.push(sizeOf(`${out}.jxl`));
    }
    console.log([path.replace(/^usr\/share\/(backgrounds|wallpapers)\/|\.jpg$/g, ''), ...sizes].join(','));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
