import { chainNames, codecs } from '../../core/codecs/registry.ts';
import { writableFormats } from '../../core/shared/source.ts';
import { depositOptionEntries } from './deposit-table.ts';

/** Every option of every command: what the parser accepts and `--help` shows. */
export const options = {
  output: {
    short: 'o',
    value: 'OUT',
    text: 'file or folder to write, or - for standard output; a file named here is replaced if it exists',
  },
  force: { short: 'f', value: undefined, text: 'also replace existing files that -o does not name' },
  codec: {
    short: undefined,
    value: 'CODEC',
    text: `auto (default), ${codecs.map(({ name }) => name).join(', ')}; or a chain, such as ${chainNames().find((name) => name.includes('+'))}`,
  },
  prefer: {
    short: undefined,
    value: 'WHAT',
    text: 'goal of auto: size, speed, or balanced (default), which takes a faster codec if it costs little size',
  },
  axis: { short: undefined, value: 'AXIS', text: 'axis along which to look for runs: x, y, z or auto (default)' },
  effort: {
    short: undefined,
    value: 'EFFORT',
    text: 'normal (default) or max: smaller, but slower to encode and decode; auto tries several codecs',
  },
  'time-group': {
    short: undefined,
    value: 'N',
    text: 'time points to compress together, 1 to 8 (default: up to 8 for wave and --prefer size, else 1)',
  },
  device: {
    short: undefined,
    value: 'DEVICE',
    text: 'gpu, cpu, or auto (default): a hardware GPU if there is one, else the CPU',
  },
  threads: {
    short: undefined,
    value: 'N',
    text: 'how many threads the CPU may use (default: all)',
  },
  to: {
    short: undefined,
    value: 'FORMAT',
    text: `${writableFormats.join(', ')} (default: the source’s)`,
  },
  part: {
    short: undefined,
    value: 'I/N',
    text: 'only part I of N, counted from 1, for `stria merge`; /N takes I from SLURM_ARRAY_TASK_ID',
  },
  levels: {
    short: undefined,
    value: 'METHOD',
    isValueOptional: true,
    text: 'also store lower resolutions (default above 256 MiB); METHOD: mean, or mode for labels',
  },
  'no-levels': { short: undefined, value: undefined, text: 'store no lower resolutions' },
  remove: { short: undefined, value: undefined, text: 'remove the lower resolutions' },
  method: { short: undefined, value: 'METHOD', text: 'mean, or mode for labels (default: chosen from the voxels)' },
  by: {
    short: undefined,
    value: 'RULE',
    text: 'combine whole volumes on the same grid, voxel by voxel, by sum, max, min or (bitwise) or',
  },
  labels: { short: undefined, value: 'FILE', text: 'a segmentation on the same grid, to measure each of its labels' },
  table: { short: undefined, value: 'FILE', text: 'label names: CSV, ITK-SNAP, FreeSurfer, GIFTI …' },
  box: {
    short: undefined,
    value: 'X,Y,Z,DX,DY,DZ',
    text: 'only this box: first corner and lengths',
  },
  ...depositOptionEntries,
  origin: {
    short: undefined,
    value: 'X,Y,Z',
    text: 'with --of: the first voxel, counted from 0, of this piece in the larger volume',
  },
  of: { short: undefined, value: 'X,Y,Z', text: 'with --origin: dimensions of the larger volume' },
  dims: { short: undefined, value: 'X,Y,Z[,T]', text: 'treat the input as raw voxels with these dimensions; x varies fastest' },
  type: { short: undefined, value: 'TYPE', text: 'voxel type of a raw file: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64' },
  dataset: {
    short: undefined,
    value: 'ID',
    text: 'which volume to take from an input that holds several; `stria info IN` lists them',
  },
  axes: {
    short: undefined,
    value: 'AXES',
    text: 'axes of an array (HDF5, Zarr, NumPy), slowest first: zyx, tczyx; c is channels, s any other series',
  },
  tags: {
    short: undefined,
    value: 'SEARCH',
    isValueOptional: true,
    text: 'also print the metadata: all, or the entries that contain every word of SEARCH; * marks personal data',
  },
  'strip-identity': {
    short: undefined,
    value: undefined,
    text: 'drop from DICOM what the basic profile of PS3.15 lists: names, dates, places, private elements',
  },
  endian: { short: undefined, value: 'ORDER', text: 'byte order of raw voxels: little (default) or big' },
  offset: { short: undefined, value: 'BYTES', text: 'bytes before the first raw voxel (default 0)' },
  size: {
    short: undefined,
    value: 'SIZE',
    text: 'size of the volume in voxels: N for a cube, or X,Y,Z',
  },
  along: {
    short: undefined,
    value: 'WHAT',
    text: 'what changes from frame to frame: t (time), x, y or z (slices), or turn (the camera of the 3D view)',
  },
  first: { short: undefined, value: 'N', text: 'first slice or time point, counted from 1 (default 1)' },
  last: {
    short: undefined,
    value: 'N',
    text: 'last slice or time point; may be lower than --first (default: the last of the volume)',
  },
  degrees: { short: undefined, value: 'ANGLE', text: 'angle of the turn (default 360)' },
  frames: { short: undefined, value: 'N', text: 'number of pictures of a turn (default 120)' },
  fps: { short: undefined, value: 'N', text: 'frames per second in the printed ffmpeg line (default 30)' },
  session: {
    short: undefined,
    value: 'FILE',
    text: 'a .stria-session: the view that was saved in the app, with its layers; other options change it',
  },
  view: { short: undefined, value: 'VIEW', text: '3d (default), or x, y or z for a slice across that axis' },
  slice: { short: undefined, value: 'N', text: 'slice, counted from 1, or its position, such as 50% (default: the middle)' },
  time: { short: undefined, value: 'N', text: 'time point, counted from 1 (default 1)' },
  channel: { short: undefined, value: 'N', text: 'channel, counted from 1 (default 1)' },
  window: {
    short: undefined,
    value: 'LOW,HIGH',
    text: 'real values at the ends of the colours (default: as in the app, from the histogram or the file)',
  },
  colormap: {
    short: undefined,
    value: 'NAME',
    text: 'gray, bone, hot, viridis, cividis, batlow, magma, inferno, plasma, turbo, difference, labels',
  },
  invert: { short: undefined, value: undefined, text: 'reverse the colormap' },
  projection: {
    short: undefined,
    value: 'NAME',
    text: 'how the 3D view projects: composite, mip (maximum), minip (minimum), mean, attenuated-mip, isosurface',
  },
  level: { short: undefined, value: 'VALUE', text: 'real value of the isosurface' },
  label: {
    short: undefined,
    value: 'N[,N…]|all',
    text: 'the surface around voxels with this value; several labels become several .stl or .ply files: OUT-N.stl',
  },
  smoothing: {
    short: undefined,
    value: 'N',
    text: 'rounds of smoothing without shrinking, 0 to 200 (default: 0, or 10 with --label)',
  },
  from: {
    short: undefined,
    value: 'SIDE',
    text: 'where the 3D camera is: front, back, left, right, above, below, or angles in degrees: AROUND,UP',
  },
  zoom: { short: undefined, value: 'FACTOR', text: 'magnification; 1 (default) shows everything' },
  orthographic: { short: undefined, value: undefined, text: '3D without perspective' },
  background: {
    short: undefined,
    value: 'COLOR',
    text: 'near-black (default), black, gray, white or transparent',
  },
  smooth: { short: undefined, value: undefined, text: 'interpolate between the voxels of slices' },
  slab: {
    short: undefined,
    value: 'KIND,THICKNESS',
    text: 'thick slices: mean, maximum or minimum over a thickness in the file’s unit, such as maximum,10',
  },
  tools: {
    short: undefined,
    value: 'NAMES',
    text: 'for files: only these programs, separated by commas, such as stria,cp,zstd',
  },
  limit: {
    short: undefined,
    value: 'SECONDS',
    text: 'for files: stop a program that takes longer in one direction, and leave it out (default 600)',
  },
  repetitions: {
    short: undefined,
    value: 'N',
    text: 'measure each case at most N times (default 15); playback and view draw a fixed number of frames',
  },
  seed: { short: undefined, value: 'S', text: 'seed, a whole number; the same seed gives the same voxels (default 1)' },
  'picture-memory': {
    short: undefined,
    value: 'MIB',
    text: 'memory limit in MiB for a picture that cannot be read by rows, such as an interlaced PNG (default 512)',
  },
  host: {
    short: undefined,
    value: 'HOST',
    text: 'address to listen on (default: 127.0.0.1, which only this machine can reach); 0.0.0.0 for every network',
  },
  port: { short: undefined, value: 'PORT', text: 'port to listen on (default: 8437, or a free one if that is taken)' },
  app: {
    short: undefined,
    value: 'DIR',
    text: 'folder of the web app that `npm run build:web` makes (default: the one beside the command)',
  },
  open: { short: undefined, value: undefined, text: 'open the page in a browser' },
  fill: { short: undefined, value: undefined, text: 'write 0 for the voxels of lost chunks' },
  json: { short: undefined, value: undefined, text: 'print one JSON object on stdout and nothing else there' },
  quiet: { short: 'q', value: undefined, text: 'print nothing but errors' },
  'gpu-limits': {
    short: undefined,
    value: 'LIMITS',
    text: 'limits of the GPU: adapter (all that it has; used if not given) or default (WebGPU’s minimum)',
  },
  tuning: {
    short: undefined,
    value: 'FILE',
    text: 'use the workgroup sizes in a file from `stria bench tune -o FILE` instead of the standard ones',
  },
  help: { short: 'h', value: undefined, text: 'show this help' },
  version: { short: 'v', value: undefined, text: 'show the version' },
} as const satisfies Record<string, OptionEntry>;

interface OptionEntry {
  readonly short: string | undefined;
  /** Placeholder of the option's value in the help. Undefined for a switch. */
  readonly value: string | undefined;
  /** `--tags`, and `--tags=SEARCH`. */
  readonly isValueOptional?: boolean;
  readonly text: string;
}
export type OptionName = keyof typeof options;

export function optionEntry(name: OptionName): OptionEntry {
  return options[name];
}
