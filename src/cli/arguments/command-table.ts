import { chainNames, codecs } from '../../core/codecs/registry.ts';
import { readableNames } from '../../core/shared/readable-formats.ts';
import { fileFormats } from '../../core/shared/source.ts';

/** Every option of every command: what the parser takes and `--help` shows. */
export const options = {
  output: {
    short: 'o',
    value: 'OUT',
    text: 'file or folder to write, or - for standard output; a file named here is replaced if it exists',
  },
  force: { short: 'f', value: undefined, text: 'replace files whose names Stria chose itself, too' },
  codec: {
    short: undefined,
    value: 'CODEC',
    text: `auto (default), ${codecs.map(({ name }) => name).join(', ')}; or two of them: ${chainNames().find((name) => name.includes('+'))}`,
  },
  prefer: {
    short: undefined,
    value: 'WHAT',
    text: 'what auto goes by: size, speed, or balanced (default): size, unless a faster codec costs little of it',
  },
  axis: { short: undefined, value: 'AXIS', text: 'axis along which runs are sought: x, y, z or auto (default)' },
  effort: {
    short: undefined,
    value: 'EFFORT',
    text: 'normal (default), or max: scans and photographs a few percent smaller, and slower to encode and decode',
  },
  device: {
    short: undefined,
    value: 'DEVICE',
    text: 'gpu, cpu, or auto (default): a hardware GPU if there is one, else the CPU',
  },
  to: {
    short: undefined,
    value: 'FORMAT',
    text: `${fileFormats.join(', ')} (raw: voxels alone); without it the source comes back`,
  },
  dims: { short: undefined, value: 'X,Y,Z[,T]', text: 'the input is raw and has these sides, in voxels, x fastest' },
  type: { short: undefined, value: 'TYPE', text: 'type of a voxel: u8 i8 u16 i16 u32 i32 f32 f64' },
  endian: { short: undefined, value: 'ORDER', text: 'byte order of raw voxels: little (default) or big' },
  offset: { short: undefined, value: 'BYTES', text: 'bytes in front of the first raw voxel (default 0)' },
  size: { short: undefined, value: 'N', text: 'sides of the sample in voxels: N for a cube, or X,Y,Z' },
  seed: { short: undefined, value: 'S', text: 'whole number; the same seed gives the same voxels (default 1)' },
  'picture-memory': {
    short: undefined,
    value: 'MIB',
    text: 'memory for a picture that cannot be handled by rows, an interlaced PNG for one, in MiB (default 512)',
  },
  fill: { short: undefined, value: undefined, text: 'write 0 for the voxels of chunks that are lost' },
  json: { short: undefined, value: undefined, text: 'print one JSON object on stdout, and nothing else there' },
  quiet: { short: 'q', value: undefined, text: 'say nothing but errors' },
  'gpu-limits': {
    short: undefined,
    value: 'LIMITS',
    text: 'open the GPU with all its limits (adapter, the default) or with WebGPU’s least (default)',
  },
  tuning: {
    short: undefined,
    value: 'FILE',
    text: 'workgroup sizes of kernels, from `stria bench tune -o FILE`; without it the standard ones',
  },
  help: { short: 'h', value: undefined, text: 'show this help' },
  version: { short: 'v', value: undefined, text: 'show the version' },
} as const satisfies Record<string, OptionEntry>;

interface OptionEntry {
  readonly short: string | undefined;
  /** What the option's value is called; undefined for a switch. */
  readonly value: string | undefined;
  readonly text: string;
}
export type OptionName = keyof typeof options;

interface CommandEntry {
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly OptionName[];
  readonly notes: readonly string[];
}

const rawInput = ['dims', 'type', 'endian', 'offset'] as const;
const common = ['json', 'quiet', 'help'] as const;

export const commands = {
  compress: {
    usage: 'IN... [-o OUT]',
    summary: `compress volumes and stacks of pictures into .stria files: ${readableNames}`,
    options: [
      'output',
      'force',
      'codec',
      'prefer',
      'axis',
      'effort',
      'device',
      'gpu-limits',
      'tuning',
      ...rawInput,
      'picture-memory',
      ...common,
    ],
    notes: [
      'Without -o, scan.nii.gz becomes scan.stria beside it. With several inputs, OUT is a folder (made if need be).',
      'A header in two files is named by either of them: scan.hdr or scan.img.',
      'Several PNG or several TIFF with an OUT that ends in .stria become one stack, by the numbers in their names:',
      '  stria compress frames/*.png -o stack.stria',
      'A raw file needs --dims and --type, or a sidecar beside it (scan.raw.json).',
      'As IN, - is standard input. It and named pipes are kept in a temporary file ($TMPDIR) while they are read:',
      '  curl https://example.org/scan.nii.gz | stria compress - -o scan.stria',
    ],
  },
  decompress: {
    usage: 'IN [-o OUT]',
    summary: 'restore the source of a .stria file byte for byte, or export it',
    options: ['output', 'force', 'to', 'fill', 'device', 'gpu-limits', 'tuning', 'picture-memory', ...common],
    notes: [
      'Without -o the source’s own name is used, beside IN. With a folder as OUT it is used in there. Where it is no usual name',
      'for its kind of file (.profile, run.sh), IN’s name is used.',
      'Sources in two files (scan.hdr and scan.img) take OUT as their stem: -o brain writes brain.hdr and brain.img.',
      'What was gzipped comes back uncompressed: the bytes equal those of `gunzip`.',
      'Pictures come back with the same pixels, bit for bit, and their metadata; their files are compressed anew, so they',
      'are not the same bytes. PNG is a file for each picture, TIFF one file; OUT is a folder (made if need be), or a file',
      'if it ends in .png or .tif: stria decompress stack.stria --to tiff -o out',
    ],
  },
  verify: {
    usage: 'IN',
    summary: 'decode a .stria file and check every byte of it',
    options: ['device', 'gpu-limits', 'tuning', ...common],
    notes: [],
  },
  info: {
    usage: 'IN',
    summary: 'say what a .stria file or a volume holds',
    options: [...rawInput, ...common],
    notes: [],
  },
  recover: {
    usage: 'IN -o OUT',
    summary: 'save every whole chunk of a damaged .stria file',
    options: ['output', 'fill', ...common],
    notes: [
      'The command says how many chunks are lost. OUT marks them: `info` and `verify` tell of them, and decompress wants',
      '--fill to write 0 for their voxels. With --fill here, OUT is an ordinary file with zeros in their places.',
    ],
  },
  sample: {
    usage: 'KIND --size N -o OUT',
    summary: 'make a volume for trying: zero, sequence254, sequence255, potential, phantom or labels',
    options: ['size', 'type', 'seed', 'output', 'device', 'gpu-limits', 'tuning', ...common],
    notes: [
      'OUT’s ending decides: .nii, .nrrd, .raw (with a sidecar OUT.json, so that it opens again) or .stria.',
      '--type is u8 (default) or u16.',
    ],
  },
  bench: {
    usage: '[codecs [SAMPLE...] | seeds | playback | view | files [IN...] | tune | compare A B]',
    summary: 'measure kernels and whole files on this machine, beside a copy of the same bytes',
    options: ['size', 'type', 'codec', 'output', 'device', 'gpu-limits', 'tuning', ...common],
    notes: [
      'codecs  every codec on every sample volume, or on those that are named, and what auto makes of them (the default)',
      'seeds   the tables of the papers that Stria comes from, rebuilt here with their own algorithms',
      'playback  a stack of pictures decoded from compressed GPU memory and drawn, frame by frame',
      'view    the 3D view of a volume that turns, drawn into a texture of 1920 × 1080 with light',
      'files   whole files through the whole program, beside gzip, pigz, zstd and xz where they are installed',
      'tune    tries workgroup sizes of kernels on this GPU; another than the standard is taken if it is 5 % faster, twice',
      'compare says whether two results agree within 5 %, and refuses results of unlike machines or work',
      '--size is the side of the volumes: 256, or 512 for seeds, playback and view: full size; 64 on a software GPU.',
      'Times are medians by timestamp queries where the GPU has them; every output is checked after it was timed.',
      'With -o the whole result is written as JSON.',
    ],
  },
  gpu: {
    usage: '',
    summary: 'say which GPU there is, what its limits are, and what is missing',
    options: common,
    notes: [],
  },
} as const satisfies Record<string, CommandEntry>;
export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as readonly CommandName[];

/** The table's row of a command, with its literal types forgotten. */
export function commandEntry(name: CommandName): CommandEntry {
  return commands[name];
}

export function optionEntry(name: OptionName): OptionEntry {
  return options[name];
}
