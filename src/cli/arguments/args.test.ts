import { describe, expect, test } from 'vitest';
import { commandHelp, mainHelp } from '../help.ts';
import { parseCommand } from './args.ts';
import { commandNames } from './command-table.ts';

const parse = (line: string) => parseCommand(line.split(' ').filter((word) => word !== ''));

test('compress with all its defaults', () => {
  expect(parse('compress a.nii b.nrrd')).toEqual({
    name: 'compress',
    inputs: ['a.nii', 'b.nrrd'],
    output: undefined,
    force: false,
    codec: 'auto',
    axis: 'auto',
    prefer: 'balanced',
    effort: 'normal',
    raw: undefined,
    device: 'auto',
    gpuLimits: 'adapter',
    json: false,
    quiet: false,
  });
});

test('options may stand anywhere, and the last of two wins', () => {
  expect(
    parse('compress -o x --axis y --effort max a.raw --dims 3,4,5,6 --json --type i16 --endian big --offset 352 -o y -q'),
  ).toMatchObject({
    inputs: ['a.raw'],
    output: 'y',
    axis: 'y',
    effort: 'max',
    raw: { dims: [3, 4, 5, 6], type: 'i16', endian: 'big', offset: 352 },
    json: true,
    quiet: true,
  });
});

test('names that look like numbers stay as they are', () => {
  expect(parse('compress 007 -o 1e3')).toMatchObject({ inputs: ['007'], output: '1e3' });
});

test('names that start with a dash come after --', () => {
  expect(parse('verify -- -odd.stria')).toMatchObject({ input: '-odd.stria' });
});

test.each([
  ['sample potential --size 512 -o p.nii', { kind: 'potential', dims: [512, 512, 512], type: 'u8', seed: 1 }],
  ['sample zero --size 2048,2048,1024 --type u16 --seed 9 -o z.raw', { dims: [2048, 2048, 1024], type: 'u16', seed: 9 }],
  ['decompress a.stria --to nrrd --device cpu -f', { input: 'a.stria', to: 'nrrd', device: 'cpu', force: true }],
  ['verify a.stria --device gpu --gpu-limits default', { device: 'gpu', gpuLimits: 'default' }],
  ['recover a.stria -o b.stria', { input: 'a.stria', output: 'b.stria' }],
  ['info a.stria --json', { name: 'info', json: true }],
  ['gpu', { name: 'gpu' }],
  ['', { name: 'help', topic: undefined }],
  ['--help', { name: 'help', topic: undefined }],
  ['help verify', { name: 'help', topic: 'verify' }],
  ['compress --help', { name: 'help', topic: 'compress' }],
  ['--version', { name: 'version' }],
])('%s', (line, command) => {
  expect(parse(line)).toMatchObject(command);
});

test.each([
  ['squash a', /Unknown command: squash\. The commands are compress/],
  ['compress', /at least one input/],
  ['compress a --colour red', /--colour/],
  [
    'compress a --codec zip',
    /--codec is one of auto, rle, rice, predict, huffman, labels, parle, raw, rle\+huffman, rice\+huffman, predict\+huffman, labels\+huffman, parle\+huffman, not 'zip'/,
  ],
  ['compress a --axis w', /--axis is one of/],
  ['compress a --effort some', /--effort is one of/],
  ['compress a --device tpu', /--device is one of/],
  ['compress a -o', /-o/],
  ['compress a --output=', /--output is empty/],
  ['compress a --dims 3,4,5', /--dims tells about a raw file: give --type/],
  ['compress a --type u8', /give --dims/],
  ['compress a --offset 4', /give --dims and --type/],
  ['compress a --dims 3,4 --type u8', /three or four sides/],
  ['compress a --dims 3,4,5,6,7 --type u8', /three or four sides/],
  ['compress a --dims 3,0,5 --type u8', /a side is 1 at least/],
  ['compress a --dims 3,-4,5 --type u8', /whole number/],
  ['compress a --dims 3,4.5,5 --type u8', /whole number/],
  ['compress a --dims 3,4,99999999999 --type u8', /whole number/],
  ['compress a --dims 3,4,5 --type u7', /--type is one of/],
  ['compress a --dims 3,4,5 --type u8 --offset x', /--offset wants a whole number/],
  ['decompress', /decompress wants one input/],
  ['decompress a b', /got 'b' beside/],
  ['decompress a --to gif', /--to is one of nifti, nrrd, .*raw, png, tiff/],
  ['recover a', /recover wants -o or --output/],
  ['sample', /sample wants a kind/],
  ['sample cow --size 4 -o x', /'cow' is no sample/],
  ['sample zero -o x', /wants --size/],
  ['sample zero --size 4', /wants -o/],
  ['sample zero --size 4,5 -o x', /one side or three/],
  ['sample zero --size 4 --type f32 -o x', /--type is one of u8, u16/],
  ['sample zero --size 4 --seed 1.5 -o x', /--seed wants a whole number/],
  ['bench all', /'all' is no suite; there are seeds, codecs, playback, view, files, and tune and compare/],
  ['bench seeds a.nii', /takes no files/],
  ['bench codecs scan.nii', /'scan.nii' is no sample; there are zero, sequence254/],
  ['bench compare a.json', /two results/],
  ['bench --size 4', /8 at least/],
  ['gpu now', /gpu wants no more words/],
  ['verify a --codec rle', /--codec/],
])('%s is refused', (line, message) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({ tag: 'invalid-input', message: expect.stringMatching(message) }) as Error,
  );
});

describe('help', () => {
  test('names every command and every exit code', () => {
    const help = mainHelp();
    for (const name of commandNames) expect(help).toContain(`  ${name}`);
    for (const code of [0, 1, 2, 3, 4, 5, 130]) expect(help).toMatch(new RegExp(`^ {2}${code} `, 'm'));
  });

  test.each(commandNames)('%s: fits a wide terminal', (name) => {
    for (const line of commandHelp(name).split('\n')) expect(line.length).toBeLessThanOrEqual(130);
  });
});

test.each([
  ['compress a.nii -o - --json', /--json and -o - both want standard output/],
  ['decompress a.stria -o - --json', /--json and -o - both want standard output/],
  ['decompress -', /say with -o what to write/],
])('%s is refused', (line, message) => {
  expect(() => parse(line)).toThrow(message);
});

test('- is an input and an output', () => {
  expect(parse('compress - -o -')).toMatchObject({ inputs: ['-'], output: '-' });
});
