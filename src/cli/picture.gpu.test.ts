import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type DecodedPng, decode } from 'fast-png';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { cliPath, niftiFile, scanBytes, start, stria, succeed, testFolders } from './cli-testing.ts';

const { at } = testFolders();
const dims = [24, 20, 16] as const;

const read = (name: string): DecodedPng => decode(readFileSync(at(name)));
const pixel = ({ width, channels, data }: DecodedPng, x: number, y: number) => [
  ...data.subarray((y * width + x) * channels, (y * width + x) * channels + channels),
];

test('a slice has the volume’s values, from any format alike', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const look = ['--view', 'z', '--slice', '5', '--window', '0,255', '--colormap', 'gray', '--size', '128x96'];
  await succeed('picture', at('scan.nii'), '-o', at('a.png'), ...look);
  const picture = read('a.png');
  expect(picture).toMatchObject({ width: 128, height: 96, channels: 3, depth: 8 });
  expect(pixel(picture, 0, 0)).toEqual([8, 9, 11]);
  // The slice has 24 × 20 voxels, in the picture's middle with a margin of 9.6 pixels. Its file gives no orientation.
  const voxels = scanBytes(dims, 1);
  const scale = Math.min((128 - 2 * 9.6) / 24, (96 - 2 * 9.6) / 20);
  for (const [x, y] of [
    [40, 30],
    [64, 48],
    [80, 70],
  ] as const) {
    const voxel = [12 + (x + 0.5 - 64) / scale, 10 + (y + 0.5 - 48) / scale].map(Math.floor) as [number, number];
    const value = voxels[4 * dims[0] * dims[1] + voxel[1] * dims[0] + voxel[0]];
    expect(pixel(picture, x, y), `${x}, ${y}`).toEqual([value, value, value]);
  }
  await succeed('compress', at('scan.nii'), '-o', at('scan.stria'), '--device', 'cpu');
  await succeed('picture', at('scan.stria'), '-o', at('b.png'), ...look);
  expect(read('b.png').data).toEqual(picture.data);
  expect(picture.resolution?.unit).toBe(1);
  expect(readFileSync(at('a.png')).toString('latin1')).toContain('slice across z; crosshair 13 11 5');
});

test('the 3D view is drawn from the side that is asked for, on standard output too', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const look = ['--size', '80x60', '--projection', 'mip', '--background', 'transparent'];
  await succeed('picture', at('scan.nii'), '-o', at('front.png'), '--from', 'front', ...look);
  await succeed('picture', at('scan.nii'), '-o', at('again.png'), '--from', '0,0', ...look);
  await succeed('picture', at('scan.nii'), '-o', at('left.png'), '--from', 'left', ...look);
  const front = read('front.png');
  expect([front.channels, pixel(front, 0, 0)]).toEqual([4, [0, 0, 0, 0]]);
  expect(pixel(front, 40, 30)[3]).toBeGreaterThan(100);
  expect(read('again.png').data).toEqual(front.data);
  expect(read('left.png').data).not.toEqual(front.data);
  const args = ['picture', at('scan.nii'), '-o', '-', '--from', 'front', ...look];
  const { stdout } = await promisify(execFile)(process.execPath, [cliPath, ...args], { encoding: 'buffer' });
  expect(stdout.equals(readFileSync(at('front.png')))).toBe(true);
});

test('labels have the colours that their file gives them', async () => {
  const table =
    '<CaretExtension><LabelTable><Label Key="4" Red="1" Green="0.5" Blue="0" Alpha="1">A</Label></LabelTable></CaretExtension>';
  const text = new TextEncoder().encode(table);
  const extension = new Uint8Array(16 * Math.ceil((8 + text.length) / 16));
  extension.set(text, 8);
  const header = new DataView(extension.buffer);
  header.setInt32(0, extension.length, true);
  header.setInt32(4, 30, true);
  const plain = niftiFile(dims, 1);
  const file = Buffer.concat([plain.subarray(0, 352), extension, plain.subarray(352).map(() => 4)]);
  // The intent of labels, where the voxels begin, and that there are extensions.
  file.writeInt16LE(1002, 68);
  file.writeFloatLE(352 + extension.length, 108);
  file[348] = 1;
  writeFileSync(at('parts.nii'), file);
  await succeed('compress', at('parts.nii'), '-o', at('parts.stria'), '--device', 'cpu');
  for (const name of ['parts.nii', 'parts.stria']) {
    await succeed('picture', at(name), '-o', at('parts.png'), '--view', 'z', '--size', '64x48');
    expect(pixel(read('parts.png'), 32, 24), name).toEqual([255, 128, 0]);
  }
});

test('--json reports the picture', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const { stdout } = await succeed('picture', at('scan.nii'), '-o', at('a.png'), '--size', '20x10', '--view', 'x', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ command: 'picture', view: 'x', width: 20, height: 10, output: at('a.png') });
});

test('what cannot be drawn is refused, and nothing is left', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  writeFileSync(at('short.nii'), niftiFile(dims, 1).subarray(0, 4000));
  const cases = [
    [
      'scan.nii',
      ['--size', '60000x20'],
      4,
      /draws at most \d+ pixels along an edge, not 60000 × 20\n {2}Choose a smaller --size/,
    ],
    ['scan.nii', ['--view', 'z', '--slice', '17'], 2, /there is no slice 17 across z: the volume has 16/],
    ['scan.nii', ['--colormap', 'rainbow'], 2, /--colormap must be one of/],
    ['short.nii', [], 1, /short\.nii: .*ends/],
    ['none.nii', [], 3, /none\.nii/],
  ] as const;
  for (const [name, args, code, message] of cases) {
    const ended = await stria('picture', at(name), '-o', at('a.png'), ...args);
    expect(ended, name).toMatchObject({ code, stderr: expect.stringMatching(message) });
  }
  expect(existsSync(at('a.png'))).toBe(false);
  expect(readdirSync(at('.')).sort()).toEqual(['scan.nii', 'short.nii']);
});

test('without a graphics adapter, the message says what to install', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const env = { ...process.env, VK_ICD_FILENAMES: '', VK_DRIVER_FILES: at('none.json') };
  const ended = await start(['picture', at('scan.nii'), '-o', at('a.png')], env).ended;
  expect(ended).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/no graphics adapter.*\n {2}Drawing needs a Vulkan driver.*SwiftShader/),
  });
  expect(ended.stderr).not.toContain('--device cpu');
});

/** A session as the app writes it, for a volume and, if given, a layer. */
function sessionFile(view: object, layers: readonly { readonly file: string; readonly look?: object }[] = []): string {
  const part = (file: string) => ({ path: file, size: statSync(at(file)).size });
  const list = layers.map(({ file, look }, index) => ({
    source: { files: [part(file)] },
    look: { id: `l${index}`, name: file, opacity: 1, colormap: 'hot', window: [1, 2], hidesBelow: true, ...look },
  }));
  const session = { format: 'stria-session', version: 1, files: [part('scan.nii')], view, layers: { list } };
  return JSON.stringify({ ...session, layout: 'slice', sliceAxis: 'z' });
}

test('a session gives volume, view and layers, and options change it', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const marks = niftiFile(dims, 1);
  // The layer covers the left half.
  marks.set(
    Uint8Array.from({ length: dims[0] * dims[1] * dims[2] }, (_, index) => (index % dims[0] < 12 ? 9 : 0)),
    352,
  );
  writeFileSync(at('marks.nii'), marks);
  writeFileSync(at('plain.stria-session'), sessionFile({ window: [0, 255], crosshair: [3, 3, 4] }));
  writeFileSync(at('layered.stria-session'), sessionFile({ window: [0, 255], crosshair: [3, 3, 4] }, [{ file: 'marks.nii' }]));
  const size = ['--size', '128x96'];
  await succeed('picture', at('scan.nii'), '-o', at('scan.png'), '--view', 'z', '--slice', '5', '--window', '0,255', ...size);
  await succeed('picture', at('plain.stria-session'), '-o', at('plain.png'), ...size);
  expect(read('plain.png').data).toEqual(read('scan.png').data);
  const layered = await succeed('picture', at('layered.stria-session'), '-o', at('layered.png'), ...size);
  expect(layered.stderr).not.toContain('left out');
  const [over, beside] = [pixel(read('layered.png'), 45, 48), pixel(read('layered.png'), 80, 48)];
  expect(over).toEqual([255, 255, 255]);
  expect(beside).toEqual(pixel(read('scan.png'), 80, 48));
  const space = ['--view', '3d', '--projection', 'mip', '--from', 'front', ...size];
  await succeed('picture', at('plain.stria-session'), '-o', at('plain-3d.png'), ...space);
  await succeed('picture', at('layered.stria-session'), '-o', at('layered-3d.png'), ...space);
  expect(pixel(read('plain-3d.png'), 50, 48)).not.toEqual([255, 255, 255]);
  expect(pixel(read('layered-3d.png'), 50, 48)).toEqual([255, 255, 255]);
  // Another volume in the session's view, and another slice.
  writeFileSync(at('other.nii'), niftiFile(dims, 1));
  const other = ['--session', at('plain.stria-session'), '--view', 'z', '--slice', '9', ...size];
  await succeed('picture', at('other.nii'), '-o', at('other.png'), ...other);
  await succeed('picture', at('scan.nii'), '-o', at('nine.png'), '--view', 'z', '--slice', '9', '--window', '0,255', ...size);
  expect(read('other.png').data).toEqual(read('nine.png').data);
});

test('a session’s surfaces are drawn, extracted and from files', async () => {
  const scan = niftiFile(dims, 1);
  // A box of ones in the middle, in a volume whose world coordinates are its voxels'.
  const inside = ([x, y, z]: readonly number[]) =>
    (x as number) > 7 && (x as number) < 16 && (y as number) > 5 && (y as number) < 14 && (z as number) > 3 && (z as number) < 12;
  const voxels = Uint8Array.from({ length: dims[0] * dims[1] * dims[2] }, (_, index) =>
    inside([index % dims[0], Math.floor(index / dims[0]) % dims[1], Math.floor(index / (dims[0] * dims[1]))]) ? 1 : 0,
  );
  scan.set(voxels, 352);
  writeFileSync(at('scan.nii'), scan);
  const size = ['--size', '128x96'];
  const file = (surfaces: object) => {
    const files = [{ path: 'scan.nii', size: statSync(at('scan.nii')).size }];
    const view = { window: [0, 255], crosshair: [12, 10, 8] };
    const session = { format: 'stria-session', version: 1, files, view, layers: surfaces, layout: 'slice', sliceAxis: 'z' };
    writeFileSync(at('s.stria-session'), JSON.stringify(session));
  };
  const look = { id: 'm', name: 'box', color: '#ff0000' };
  const surface = { source: { from: 'base', surface: { level: 0.5 } }, look };
  const redOf = ({ data, channels }: DecodedPng) => {
    let count = 0;
    for (let pixelAt = 0; pixelAt < data.length; pixelAt += channels)
      if ((data[pixelAt] as number) > 120 && (data[pixelAt + 1] as number) < 60 && (data[pixelAt + 2] as number) < 60) count++;
    return count;
  };
  const drawn = async (name: string, ...args: string[]) => {
    const ended = await succeed('picture', at('s.stria-session'), '-o', at(name), ...size, ...args);
    return { stderr: ended.stderr, red: redOf(read(name)), data: read(name).data };
  };
  file({});
  expect((await drawn('none.png')).red).toBe(0);
  file({ meshes: [surface] });
  const extracted = await drawn('extracted.png');
  expect(extracted.red).toBeGreaterThan(50);
  const space = ['--view', '3d', '--projection', 'composite', '--from', '30,15'];
  const extractedSpace = await drawn('extracted-3d.png', ...space);
  expect(extractedSpace.red).toBeGreaterThan(300);
  // The same surface as a file is drawn alike.
  await succeed('mesh', at('scan.nii'), '--level', '0.5', '--smoothing', '0', '-o', at('box.ply'), '--device', 'cpu');
  const part = { path: 'box.ply', size: statSync(at('box.ply')).size };
  file({ meshFiles: [{ source: { files: [part] }, look }] });
  expect((await drawn('file.png')).data).toEqual(extracted.data);
  expect((await drawn('file-3d.png', ...space)).data).toEqual(extractedSpace.data);
  // So is a surface without a volume. Its slice has letters around it, and is smaller.
  const alone = { name: 'box.ply', dims, edge: 1, origin: [0, 0, 0] };
  const without = { base: { isVisible: false }, meshFiles: [{ source: { files: [part] }, look }] };
  const session = { format: 'stria-session', version: 1, space: alone, view: { crosshair: [12, 10, 8] }, layers: without };
  writeFileSync(at('s.stria-session'), JSON.stringify({ ...session, layout: 'slice', sliceAxis: 'z' }));
  expect((await drawn('alone.png')).red).toBeGreaterThan(50);
  file({
    meshes: [{ ...surface, look: { ...look, isVisible: false } }],
    meshFiles: [{ source: { files: [{ ...part, size: 5 }] }, look }],
  });
  const none = await drawn('hidden.png');
  expect(none.red).toBe(0);
  expect(none.stderr).toMatch(/the layer box is left out: .*it has \d+ bytes, not 5/);
  expect((await stria('picture', at('s.stria-session'), '-o', at('scan.nii'))).code).not.toBe(0);
}, 120_000);

test('what was read is never replaced: the input, the session, its volume and its layers', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  writeFileSync(at('marks.nii'), niftiFile(dims, 1));
  writeFileSync(at('view.stria-session'), sessionFile({}, [{ file: 'marks.nii' }]));
  for (const name of ['scan.nii', 'marks.nii', 'view.stria-session']) {
    const before = readFileSync(at(name));
    const ended = await stria('picture', at('view.stria-session'), '-o', at(name), '--size', '20');
    expect(ended, ended.stderr).toMatchObject({ code: 2 });
    expect(readFileSync(at(name)).equals(before)).toBe(true);
  }
});

test('a bad session is refused, and a missing layer is left out with a note', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  writeFileSync(at('marks.nii'), niftiFile(dims, 1));
  writeFileSync(at('layered.stria-session'), sessionFile({}, [{ file: 'marks.nii' }]));
  writeFileSync(at('odd.stria-session'), '{"format": "stria-');
  writeFileSync(at('marks.nii'), new Uint8Array(400));
  const ended = await succeed('picture', at('layered.stria-session'), '-o', at('a.png'), '--size', '40');
  expect(ended.stderr).toMatch(
    /layered\.stria-session: the layer marks\.nii is left out: .*marks\.nii: .*not the file of the session: it has 400 bytes/,
  );
  writeFileSync(at('scan.nii'), new Uint8Array(400));
  for (const [name, code, message] of [
    ['layered.stria-session', 2, /scan\.nii: this is not the file of the session: it has 400 bytes, not 8032/],
    ['odd.stria-session', 1, /odd\.stria-session: .*session/],
    ['none.stria-session', 3, /none\.stria-session/],
  ] as const) {
    const refused = await stria('picture', at(name), '-o', at('b.png'));
    expect(refused, name).toMatchObject({ code, stderr: expect.stringMatching(message) });
  }
  expect(existsSync(at('b.png'))).toBe(false);
});

test('a movie is a folder of numbered pictures, or a ZIP of them, and each is what picture draws', async () => {
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const size = ['--size', '64x48'];
  const said = await succeed('movie', at('scan.nii'), '--along', 'z', '--first', '4', '--last', '6', '-o', at('slices'), ...size);
  expect(readdirSync(at('slices')).sort()).toEqual(['frame-0001.png', 'frame-0002.png', 'frame-0003.png']);
  expect(said.stdout).toContain(`ffmpeg -framerate 30 -i ${at('slices')}/frame-%04d.png`);
  await succeed('picture', at('scan.nii'), '--view', 'z', '--slice', '6', '-o', at('six.png'), ...size);
  expect(read('slices/frame-0003.png').data).toEqual(read('six.png').data);
  const turn = ['movie', at('scan.nii'), '--along', 'turn', '--frames', '2', '--degrees', '90', ...size];
  await succeed(...turn, '-o', at('turn.zip'));
  const zip = unzipSync(readFileSync(at('turn.zip')));
  expect(Object.keys(zip)).toEqual(['turn/frame-0001.png', 'turn/frame-0002.png']);
  const [first, second] = Object.values(zip).map((png) => decode(png).data);
  expect(first).not.toEqual(second);
  // An existing folder is replaced only on request, and only if it holds frames.
  expect(await stria(...turn, '-o', at('slices'))).toMatchObject({ code: 3, stderr: expect.stringContaining('exists') });
  await succeed(...turn, '-o', at('slices'), '-f');
  expect(readdirSync(at('slices'))).toHaveLength(2);
  writeFileSync(at('slices/notes.txt'), 'mine');
  expect(await stria(...turn, '-o', at('slices'), '-f')).toMatchObject({ code: 3, stderr: expect.stringContaining('notes.txt') });
  const video = await stria(...turn, '-o', at('turn.mp4'));
  expect(video).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Stria does not encode videos.* ffmpeg -framerate 30/),
  });
});
