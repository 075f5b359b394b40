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
    stripIdentity: false,
    device: 'auto',
    gpuLimits: 'adapter',
    json: false,
    quiet: false,
  });
});

test('options may stand anywhere, and the last one wins', () => {
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

test('compress and info take a volume of several, and what its axes are', () => {
  for (const name of ['compress', 'info']) {
    expect(parse(`${name} a.h5 --dataset /entry/data --axes cyx`)).toMatchObject({ dataset: '/entry/data', axes: 'cyx' });
  }
});

test('names that look like numbers stay as they are', () => {
  expect(parse('compress 007 -o 1e3')).toMatchObject({ inputs: ['007'], output: '1e3' });
});

test('a box may begin below zero', () => {
  for (const line of ['--box -1,-.5,0,2,1e3,1', '--box=-1,-.5,0,2,1e3,1']) {
    const command = parse(`deposit a ${line} --part 3/8 -o b --species gas,star`);
    expect(command).toMatchObject({
      box: { origin: [-1, -0.5, 0], lengths: [2, 1000, 1] },
      share: { number: 3, of: 8 },
      isSums: true,
      species: ['gas', 'star'],
    });
  }
});

test('names that start with a dash follow --', () => {
  expect(parse('verify -- -odd.stria')).toMatchObject({ input: '-odd.stria' });
});

test.each([
  ['info a.raw --dims 3x4x5 --type u8', { raw: { dims: [3, 4, 5, 1], type: 'u8' } }],
  ['sample potential --size 512 -o p.nii', { kind: 'potential', dims: [512, 512, 512], type: 'u8', seed: 1 }],
  ['sample phantom --size 64 --type f32 -o p.nii', { type: 'f32' }],
  ['bench bricks --type f32', { type: 'f32' }],
  ['bench codecs phantom', { inputs: ['phantom'], scan: undefined }],
  ['bench codecs ./scan', { scan: './scan', repetitions: 15 }],
  ['bench files --repetitions 3', { repetitions: 3 }],
  ['sample zero --size 2048,2048,1024 --type u16 --seed 9 -o z.raw', { dims: [2048, 2048, 1024], type: 'u16', seed: 9 }],
  ['decompress a.stria --to nrrd --device cpu -f', { input: 'a.stria', to: 'nrrd', device: 'cpu', force: true }],
  ['compress a --time-group 4', { timeGroup: 4 }],
  ['compress a', { timeGroup: undefined }],
  ['compress a --device cpu --threads 2', { device: 'cpu', threads: 2 }],
  ['verify a.stria --device gpu --gpu-limits default', { device: 'gpu', gpuLimits: 'default' }],
  ['picture a.nii -o a.png', { input: 'a.nii', output: 'a.png', width: 1024, height: 768, view: undefined, invert: false }],
  ['picture a -o b --size 300', { width: 300, height: 300 }],
  ['picture a -o b --size 300x200 --view z --slice 7 --time 2', { width: 300, height: 200, slice: { number: 7 }, time: 2 }],
  ['picture a -o b --view x --slice 12.5%', { view: 'x', slice: { part: 0.125 } }],
  ['picture a -o b --window -160,240 --level -3 --from -30,10', { window: [-160, 240], level: -3, from: '-30,10' }],
  ['picture --window=-1e3,.5 a -o b --slab maximum,10', { window: [-1000, 0.5], slab: { kind: 'maximum', thickness: 10 } }],
  ['movie a -o b --along turn', { along: 'turn', degrees: 360, frames: 120, fps: 30, force: false }],
  ['movie a -o b --along z --first 9 --last 2', { along: 'z', first: 9, last: 2, view: undefined }],
  [
    'movie a -o b --along t --view y --slice 3 --fps 10 -f',
    { along: 't', view: 'y', slice: { number: 3 }, fps: 10, force: true },
  ],
  ['movie a -o b --along turn --degrees -90', { degrees: -90 }],
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
    /--codec must be one of auto, rle, rice, predict, huffman, labels, parle, wave, raw, rle\+huffman, rice\+huffman, predict\+huffman, labels\+huffman, parle\+huffman; got 'zip'/,
  ],
  ['compress a --axis w', /--axis must be one of/],
  ['compress a --time-group 0', /--time-group must be from 1 to 8/],
  ['compress a --time-group 9', /time-group/],
  ['compress a --effort some', /--effort must be one of/],
  ['compress a --device tpu', /--device must be one of/],
  ['compress a --threads 0', /--threads must be from 1 to 1024/],
  ['compress a --threads many', /--threads takes a whole number/],
  ['compress a -o', /-o/],
  ['compress a --output=', /--output is empty/],
  ['compress a --dims 3,4,5', /--dims describes a raw file and needs --type/],
  ['compress a --type u8', /needs --dims/],
  ['compress a --offset 4', /--offset describes a raw file and needs --dims and --type/],
  ['compress a --dims 3,4 --type u8', /three or four lengths/],
  ['compress a --dims 3,4,5,6,7 --type u8', /three or four lengths/],
  ['compress a --dims 3,0,5 --type u8', /a side must be at least 1/],
  ['compress a --dims 3,-4,5 --type u8', /whole number/],
  ['compress a --dims 3,4.5,5 --type u8', /whole number/],
  ['compress a --dims 3,4,99999999999 --type u8', /whole number/],
  ['compress a --dims 3,4,5 --type u7', /--type must be one of/],
  ['compress a --dims 3,4,5 --type u8 --offset x', /--offset takes a whole number/],
  ['decompress', /decompress needs one input/],
  ['decompress a b', /'b' is one too many/],
  ['decompress a --to gif', /--to must be one of nifti, nrrd, .*raw, png, tiff/],
  ['picture a', /picture needs -o or --output/],
  ['picture a -o b --size 300x', /--size takes a size in pixels, such as 1024x768; got '300x'/],
  ['picture a -o b --size 0x5', /--size takes a size in pixels/],
  ['picture a -o b --size 70000', /at most 65536 pixels/],
  ['picture a -o b --view w', /--view must be one of 3d, x, y, z/],
  ['picture a -o b --slice 3', /--slice needs --view x, y or z/],
  ['picture a -o b --view z --slice 0', /--slice counts from 1/],
  ['picture a -o b --view z --slice 101%', /at most 100%/],
  ['picture a -o b --window 5,5', /two real values, the lower one first/],
  ['picture a -o b --window 1,2,3', /two real values/],
  ['picture a -o b --window ,3', /two real values/],
  ['picture a -o b --level x', /--level takes a number/],
  ['picture a -o b --zoom 0', /--zoom must be from 0.1 to 200/],
  ['picture a -o b --slab median,4', /--slab takes mean, maximum or minimum/],
  ['picture a -o b --slab mean', /--slab takes/],
  ['picture a -o b --background pink', /--background must be one of/],
  ['movie a -o b', /movie needs --along/],
  ['movie a -o b --along w', /--along must be one of t, x, y, z, turn/],
  ['movie a -o b --along z --view x', /--along z shows the view z, not x/],
  ['movie a -o b --along z --frames 3', /--frames is for --along turn/],
  ['movie a -o b --along turn --first 3', /--first is for slices and time/],
  ['movie a -o b --along turn --frames 20000', /--frames may be at most 10000/],
  ['movie a -o b --along t --fps 500', /--fps may be at most 120/],
  ['movie a --along t', /movie needs -o or --output/],
  ['info a --bogus', /^Unknown option '--bogus'; see `stria info --help`$/],
  ['compress a -o -b.stria', /^Option '-o' argument is ambiguous\. Did you [^\n]*'-o-XYZ'; see/],
  ['recover a', /recover needs -o or --output/],
  ['sample', /sample needs a kind/],
  ['sample cow --size 4 -o x', /Unknown sample: cow/],
  ['sample zero -o x', /needs --size/],
  ['sample zero --size 4', /needs -o/],
  ['sample zero --size 4,5 -o x', /one length or three/],
  ['sample zero --size 4 --type f64 -o x', /--type must be one of u8, u16, f32/],
  ['sample zero --size 4 --seed 1.5 -o x', /--seed takes a whole number/],
  [
    'bench all',
    /Unknown suite: all. The suites are seeds, codecs, compress, playback, view, bricks, mesh, files; `tune` and `compare`/,
  ],
  ['bench seeds a.nii', /takes no files/],
  ['bench bricks a.stria b.stria', /takes one file; got 2/],
  ['bench codecs cow', /Unknown sample: cow. The samples are zero, sequence254.*a file’s name has a dot or a slash/],
  ['bench compress scan.nii', /Unknown sample: scan.nii. The samples are zero, sequence254/],
  ['bench codecs phantom scan.nii', /takes samples or one file; got phantom, scan.nii/],
  ['bench codecs scan.nii --type u16', /--type is for samples/],
  ['bench compare a.json', /two results/],
  ['bench --size 4', /a side must be at least 8/],
  ['bench codecs --tools cp', /--tools is for `stria bench files`, not for codecs/],
  ['bench files --repetitions 0', /--repetitions must be at least 1/],
  ['bench tune --repetitions 3', /--repetitions is for suites that repeat each case, not for tune/],
  ['bench playback --repetitions 3', /--repetitions is for suites that repeat each case, not for playback/],
  ['bench view --repetitions 3', /--repetitions is for suites that repeat each case, not for view/],
  ['bench codecs --limit 5', /--limit is for `stria bench files`, not for codecs/],
  ['bench files --limit 0', /--limit must be at least 1 second/],
  ['gpu now', /gpu takes no arguments/],
  ['verify a --codec rle', /--codec/],
  ['compress a --part 0/3', /parts are numbered from 1 to 3/],
  ['compress a --part 4/3', /parts are numbered from 1 to 3/],
  ['compress a --part 3', /such as 3\/8/],
  ['compress a --part 1/100001', /from 0 to 100000/],
  ['compress a --origin 0,0,0', /both --origin and --of/],
  ['compress a --origin 0,0 --of 1,1,1', /three whole numbers/],
  ['compress a --part 1/2 --of 1,1,1', /say where a piece lies/],
  ['stats', /stats needs one input/],
  ['stats a --box 1,2,3', /six whole numbers/],
  ['stats a --box 1,2,3,4,5,0', /whole numbers from 1/],
  ['merge -o a.stria', /merge needs the parts/],
  ['merge a.stria', /needs -o/],
  ['merge a.stria -o b --type u16', /--type needs --by/],
  ['merge a.stria -o b --by sum --levels', /--by makes no levels/],
  ['deposit -o a.stria', /deposit needs particles/],
  ['deposit a', /needs -o/],
  ['deposit - -o b', /name a file instead of -/],
  ['deposit a -o b --box 0,0,0,1,1', /--box takes the first corner/],
  ['deposit a -o b --box 0,0,0,1,1,0', /--box takes the first corner/],
  ['deposit a -o b --box 0,0,0,1,1,', /--box takes the first corner/],
  ['deposit a -o b --part 1/8 --type u8', /--type is for the final volume/],
  ['deposit a -o b --sums --scale log', /--scale is for the final volume/],
  ['deposit a -o b --type i16', /one of u8, u16, f32/],
  ['deposit a -o b --unit 0', /--unit takes a mass above 0/],
  ['deposit a -o b --unit 1 --quantity count', /--unit is a mass/],
  ['deposit a -o b --part 9/8', /parts are numbered from 1 to 8/],
])('%s is refused', (line, message) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({ tag: 'invalid-input', message: expect.stringMatching(message) }) as Error,
  );
});

describe('help', () => {
  test('lists every command and every exit code', () => {
    const help = mainHelp();
    for (const name of commandNames) expect(help).toContain(`  ${name}`);
    for (const code of [0, 1, 2, 3, 4, 5, 130]) expect(help).toMatch(new RegExp(`^ {2}${code} `, 'm'));
  });

  test.each(commandNames)('%s: fits a wide terminal', (name) => {
    for (const line of commandHelp(name).split('\n')) expect(line.length).toBeLessThanOrEqual(130);
  });
});

test.each([
  ['compress a.nii -o - --json', /--json and -o - both need standard output/],
  ['decompress a.stria -o - --json', /--json and -o - both need standard output/],
  ['decompress -', /name the output with -o/],
])('%s is refused', (line, message) => {
  expect(() => parse(line)).toThrow(message);
});

test('- is an input and an output', () => {
  expect(parse('compress - -o -')).toMatchObject({ inputs: ['-'], output: '-' });
});
