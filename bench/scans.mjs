// Whole files of scans by `auto` and `wave`, beside the sums of their slices by JPEG XL, as CSV: docs/PERFORMANCE.md, 'Sizes'.
//
//   npm run build && node bench/scans.mjs FILE...
//
// Needs cjxl. Signed voxels are shifted up by half of their range for it. Voxels of other types than 8 and 16 bits are refused.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const effort = 7;
const folder = mkdtempSync(join(tmpdir(), 'stria-scans-'));
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const stria = (...args) => run('node', 'out/main/cli.js', ...args);

function jpegXlBytes(raw, [width, height], type) {
  const bytes = type.endsWith('16') ? 2 : 1;
  const flip = type.startsWith('i') ? 128 : 0;
  const voxels = Buffer.from(readFileSync(raw));
  if (bytes === 2) voxels.swap16();
  for (let at = 0; flip > 0 && at < voxels.length; at += bytes) voxels[at] ^= flip;
  const length = width * height * bytes;
  const [pgm, jxl] = [join(folder, 'slice.pgm'), join(folder, 'slice.jxl')];
  const header = `P5\n${width} ${height}\n${bytes === 1 ? 255 : 65535}\n`;
  let sum = 0;
  for (let at = 0; at < voxels.length; at += length) {
    writeFileSync(pgm, Buffer.concat([Buffer.from(header), voxels.subarray(at, at + length)]));
    run('cjxl', pgm, jxl, '-d', '0', '-e', String(effort), '--quiet', '-x', 'color_space=Gra_D65_Rel_SRG');
    sum += statSync(jxl).size;
  }
  return sum;
}

try {
  console.log(`scan,dims,type,auto,wave,jxl -e ${effort}`);
  for (const file of process.argv.slice(2)) {
    const sizes = ['auto', 'wave'].map((codec) => {
      const out = join(folder, `${codec}.stria`);
      stria('compress', file, '-o', out, '--quiet', '--device', 'cpu', '--codec', codec);
      return statSync(out).size;
    });
    const { dims, type } = JSON.parse(stria('info', join(folder, 'wave.stria'), '--json')).volume;
    if (!/^[iu](8|16)$/.test(type)) throw new Error(`${file}: ${type} has no slices for JPEG XL`);
    const raw = join(folder, 'scan.raw');
    stria('decompress', join(folder, 'wave.stria'), '--to', 'raw', '-o', raw, '--quiet', '--device', 'cpu');
    console.log([basename(file), dims.join('×'), type, ...sizes, jpegXlBytes(raw, dims, type)].join(','));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
