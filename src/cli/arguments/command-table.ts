import { chainNames, codecs } from '../../core/codecs/registry.ts';
import { writableFormats } from '../../core/shared/source.ts';
import { depositEntry, depositOptionEntries } from './deposit-table.ts';

/** Every option of every command: what the parser accepts and `--help` shows. */
export const options = {
  output: {
    short: 'o',
    value: 'OUT',
    text: 'file or folder to write, or - for standard output; a file named here is replaced if it exists',
  },
  force: { short: 'f', value: undefined, text: 'also replace existing files whose names Stria chose itself' },
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
    text: 'normal (default) or max: scans and photographs a few percent smaller, but slower both ways',
  },
  'time-group': {
    short: undefined,
    value: 'N',
    text: 'time points of a series to compress together, 1 to 8 (default: up to 8 for wave and for size, else 1)',
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
    text: `${writableFormats.join(', ')}; default: the source`,
  },
  part: {
    short: undefined,
    value: 'I/N',
    text: 'only part I, from 1, of N, for `stria merge`; /N takes I from SLURM_ARRAY_TASK_ID',
  },
  levels: {
    short: undefined,
    value: 'METHOD',
    isValueOptional: true,
    text: 'also store lower resolutions (default above 4 GiB); METHOD: mean, or mode for labels',
  },
  'no-levels': { short: undefined, value: undefined, text: 'store no lower resolutions' },
  remove: { short: undefined, value: undefined, text: 'remove the lower resolutions' },
  method: { short: undefined, value: 'METHOD', text: 'mean, or mode for labels (default: as the voxels suggest)' },
  by: {
    short: undefined,
    value: 'RULE',
    text: 'combine whole volumes of one grid, voxel by voxel: sum, max, min or or',
  },
  labels: { short: undefined, value: 'FILE', text: 'a segmentation on the same grid: statistics of each of its labels' },
  table: { short: undefined, value: 'FILE', text: 'names of the labels: CSV, ITK-SNAP, FreeSurfer, GIFTI …' },
  box: {
    short: undefined,
    value: 'X,Y,Z,DX,DY,DZ',
    text: 'only this box: first corner and lengths, in voxels; of particles, in their units',
  },
  ...depositOptionEntries,
  origin: {
    short: undefined,
    value: 'X,Y,Z',
    text: 'with --of: the input is a piece of a larger volume and starts at this voxel of it, counted from 0',
  },
  of: { short: undefined, value: 'X,Y,Z', text: 'dimensions of the volume that the input is a piece of' },
  dims: { short: undefined, value: 'X,Y,Z[,T]', text: 'treat the input as raw voxels with these dimensions; x varies fastest' },
  type: { short: undefined, value: 'TYPE', text: 'voxel type: u8 i8 u16 i16 u32 i32 f32 f64' },
  dataset: {
    short: undefined,
    value: 'ID',
    text: 'which volume to take from an input that holds several; `stria info IN` lists them',
  },
  axes: {
    short: undefined,
    value: 'AXES',
    text: 'what the axes of an array (HDF5, Zarr) are, slowest first: zyx, tczyx; c: channels, s: another series',
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
    text: 'of DICOM, keep nothing that PS3.15’s basic profile names: names, dates, places, private elements',
  },
  endian: { short: undefined, value: 'ORDER', text: 'byte order of raw voxels: little (default) or big' },
  offset: { short: undefined, value: 'BYTES', text: 'bytes before the first raw voxel (default 0)' },
  size: {
    short: undefined,
    value: 'SIZE',
    text: 'of a volume in voxels: N for a cube, or X,Y,Z; of a picture in pixels: WxH (default 1024x768)',
  },
  along: {
    short: undefined,
    value: 'WHAT',
    text: 'what changes from frame to frame: t (time), x, y or z (slices), or turn (the camera of the 3D view)',
  },
  first: { short: undefined, value: 'N', text: 'number of the first slice or time point, from 1 (default)' },
  last: { short: undefined, value: 'N', text: 'number of the last one, which may be the lower (default: the last of all)' },
  degrees: { short: undefined, value: 'ANGLE', text: 'of the turn (default 360)' },
  frames: { short: undefined, value: 'N', text: 'how many pictures a turn has (default 120)' },
  fps: { short: undefined, value: 'N', text: 'frames per second, for the line that makes a video of them (default 30)' },
  session: {
    short: undefined,
    value: 'FILE',
    text: 'a .stria-session: the view that was saved in the app, with its layers; other options change it',
  },
  view: { short: undefined, value: 'VIEW', text: '3d (default), or the slice across x, y or z' },
  slice: { short: undefined, value: 'N', text: 'number of the slice, from 1, or its place, such as 50% (default: the middle)' },
  time: { short: undefined, value: 'N', text: 'number of the time point, from 1 (default)' },
  channel: { short: undefined, value: 'N', text: 'number of the channel, from 1 (default)' },
  window: {
    short: undefined,
    value: 'LOW,HIGH',
    text: 'real values at the ends of the colors (default: as in the app, from the histogram or the file)',
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
    text: 'of the 3D view: composite, mip (maximum), minip (minimum), mean, attenuated-mip, isosurface',
  },
  level: { short: undefined, value: 'VALUE', text: 'real value of the isosurface' },
  label: { short: undefined, value: 'N[,N…]', text: 'the surface around the voxels with this value; several for .obj and .glb' },
  smoothing: {
    short: undefined,
    value: 'N',
    text: 'rounds of smoothing that keep the size, 0 to 200 (default: 0; with --label 10)',
  },
  from: {
    short: undefined,
    value: 'SIDE',
    text: 'where the 3D camera is: front, back, left, right, above, below, or angles in degrees: AROUND,UP',
  },
  zoom: { short: undefined, value: 'FACTOR', text: 'magnification; 1 shows everything (default)' },
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
  seed: { short: undefined, value: 'S', text: 'seed, a whole number; the same seed gives the same voxels (default 1)' },
  'picture-memory': {
    short: undefined,
    value: 'MIB',
    text: 'memory limit in MiB for a picture that is not read by rows, such as an interlaced PNG (default 512)',
  },
  host: {
    short: undefined,
    value: 'HOST',
    text: 'address to listen on (default: 127.0.0.1, which only this machine reaches); 0.0.0.0 for every network',
  },
  port: { short: undefined, value: 'PORT', text: 'port to listen on (default: 8437, or a free one if that is taken)' },
  app: {
    short: undefined,
    value: 'DIR',
    text: 'the web app, as `npm run build:web` makes it (default: the one beside the command)',
  },
  open: { short: undefined, value: undefined, text: 'open the page in a browser' },
  fill: { short: undefined, value: undefined, text: 'write 0 for the voxels of lost chunks' },
  json: { short: undefined, value: undefined, text: 'print one JSON object on stdout and nothing else there' },
  quiet: { short: 'q', value: undefined, text: 'print nothing but errors' },
  'gpu-limits': {
    short: undefined,
    value: 'LIMITS',
    text: 'open the GPU with all its limits (adapter, the default) or with WebGPU’s minimum limits (default)',
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

interface CommandEntry {
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly OptionName[];
  readonly notes: readonly string[];
}

const rawInput = ['dims', 'type', 'endian', 'offset'] as const;
/** How a picture looks, and what draws it. */
const viewing = [
  'session',
  'view',
  'size',
  'slice',
  'time',
  'channel',
  'window',
  'colormap',
  'invert',
  'smooth',
  'slab',
  'projection',
  'level',
  'from',
  'zoom',
  'orthographic',
  'background',
  'dataset',
  'axes',
  'device',
  'threads',
  'gpu-limits',
  'tuning',
] as const;
const common = ['json', 'quiet', 'help'] as const;

const commands = {
  compress: {
    usage: 'IN... [-o OUT]',
    summary: 'compress volumes and image stacks into .stria files',
    options: [
      'output',
      'force',
      'codec',
      'prefer',
      'axis',
      'effort',
      'time-group',
      'device',
      'threads',
      'gpu-limits',
      'tuning',
      'dataset',
      'axes',
      'strip-identity',
      ...rawInput,
      'part',
      'origin',
      'of',
      'levels',
      'no-levels',
      'picture-memory',
      ...common,
    ],
    notes: [
      'Without -o, scan.nii.gz becomes scan.stria beside it. With several inputs, OUT is a folder (created if needed).',
      'For a format in two files, give either one: scan.hdr or scan.img.',
      'Several PNG or TIFF files become one stack if OUT ends in .stria. They are ordered by the numbers in their names:',
      '  stria compress frames/*.png -o stack.stria',
      'IN may be a folder: a DICOM study, an OME-Zarr, or volumes. If it holds several volumes, choose one with --dataset.',
      'IN may be a web address (https, http, s3, gs) of a file or an OME-Zarr; the output then lies in the current folder.',
      'The output has the folder’s name and lies beside it. Several files of one series become one volume if OUT ends in .stria:',
      '  stria compress series/* -o scan.stria',
      'A raw file needs --dims and --type, or a sidecar (scan.raw.json) beside it.',
      'Several machines can share the work. Each compresses one part, and `stria merge` joins them to the file that one machine',
      'would have written:',
      '  stria compress scan.nii --part 3/8 -o parts/',
      'If the volume lies in pieces, each piece becomes a part: stria compress piece.raw --origin 0,0,512 --of 1024,1024,1024 …',
      'An IN of - is standard input. Standard input and named pipes are buffered in a temporary file ($TMPDIR):',
      '  curl https://example.org/scan.nii.gz | stria compress - -o scan.stria',
    ],
  },
  decompress: {
    usage: 'IN [-o OUT]',
    summary: 'restore the source of a .stria file byte for byte, or export it to another format',
    options: ['output', 'force', 'to', 'fill', 'device', 'threads', 'gpu-limits', 'tuning', 'picture-memory', ...common],
    notes: [
      'IN, here and in other commands, may be a web address: only the parts that are needed are read.',
      'Without -o, the output has the source’s own name and lies beside IN. If OUT is a folder, the output lies there. If the',
      'source’s name is unusual for its format (.profile, run.sh), IN’s name is used instead.',
      'For a source in two files (scan.hdr and scan.img), OUT is the stem: -o brain writes brain.hdr and brain.img.',
      '--to raw writes the voxels alone, without a header.',
      'A gzipped source is restored uncompressed: its bytes equal the output of `gunzip`.',
      'Pictures are restored with the same pixels, bit for bit, and their metadata. Their files are compressed again, so the',
      'file bytes differ. PNG writes one file per picture, TIFF a single file. OUT is a folder (created if needed), or a',
      'file name that ends in .png or .tif: stria decompress stack.stria --to tiff -o out',
    ],
  },
  verify: {
    usage: 'IN',
    summary: 'decode a .stria file and check every byte',
    options: ['device', 'threads', 'gpu-limits', 'tuning', ...common],
    notes: [],
  },
  info: {
    usage: 'IN',
    summary: 'describe a .stria file, a volume or a folder',
    options: ['dataset', 'axes', 'tags', ...rawInput, ...common],
    notes: ['If there are several volumes, it lists them with the ids that --dataset takes.'],
  },
  stats: {
    usage: 'IN [--labels FILE] [-o OUT.csv]',
    summary: 'measure a volume: count, volume, mean, deviation and range, of each label and time point',
    options: [
      'labels',
      'table',
      'box',
      'output',
      'dataset',
      'axes',
      'device',
      'threads',
      'gpu-limits',
      'tuning',
      ...rawInput,
      ...common,
    ],
    notes: [
      'IN and FILE may be .stria files or any format that compress reads. Values are physical: slope × stored + intercept.',
      '  stria stats scan.nii --labels atlas.nii -o regions.csv',
      'Names of labels come from --table FILE, or else from the segmentation itself, if its header or metadata has a table.',
      'The deviation is that of a sample (n − 1). NaN and infinite values are counted separately.',
    ],
  },
  picture: {
    usage: 'IN -o OUT.png',
    summary: 'draw a volume in 3D or as a slice, as the app does, and write a PNG',
    options: ['output', ...viewing, ...rawInput, ...common],
    notes: [
      'IN may be a .stria file or any format that compress reads. The pixels are those of the app’s own pictures without',
      'annotations, with 8 bits per color. -o - writes the PNG to standard output.',
      '  stria picture scan.nii.gz -o scan.png',
      '  stria picture scan.nii.gz -o slice.png --view z --slice 41 --window -160,240 --colormap bone --size 800',
      'IN may also be a .stria-session: its volume is drawn, from where the session says. With --session, IN is drawn as the session',
      'shows its own volume: stria picture other.nii --session scan.stria-session -o other.png',
      'The angles AROUND,UP lead from the front to the right of the picture, and upwards: --from 30,15.',
      'Pictures need WebGPU: a hardware GPU, or a software one, which is slower. --device cpu takes the software one.',
    ],
  },
  movie: {
    usage: 'IN --along WHAT -o OUT',
    summary: 'draw the frames of a movie as numbered PNGs: time, slices or a turn of the camera',
    options: ['output', 'force', 'along', 'first', 'last', 'degrees', 'frames', 'fps', ...viewing, ...rawInput, ...common],
    notes: [
      'OUT is a new folder, or a ZIP if its name ends in .zip. -f replaces a folder of frames.',
      '  stria movie scan.nii.gz --along turn --frames 90 -o turn',
      '  stria movie bold.nii.gz --along t --view z --slice 50% -o bold.zip',
      'Node has no video encoder. ffmpeg makes a video of the folder; stria prints this line with the names filled in:',
      '  ffmpeg -framerate 30 -i turn/frame-%04d.png -vf "pad=ceil(iw/2)*2:ceil(ih/2)*2" -pix_fmt yuv420p turn.mp4',
      'All other options are those of `stria picture`, IN and sessions too.',
    ],
  },
  mesh: {
    usage: 'IN --level VALUE -o OUT.stl',
    summary: 'extract a surface as a mesh: .stl, .ply, .obj or .glb',
    options: [
      'output',
      'level',
      'label',
      'table',
      'smoothing',
      'time',
      'channel',
      'dataset',
      'axes',
      'device',
      'threads',
      'gpu-limits',
      'tuning',
      ...rawInput,
      ...common,
    ],
    notes: [
      'The mesh is closed, also at the ends of the volume, and lies in the file’s world coordinates (RAS+ millimetres for most scans).',
      '  stria mesh ct.nii.gz --level 300 -o bone.stl',
      '  stria mesh atlas.nii --label 10,49 --table FreeSurferColorLUT.txt -o thalamus.glb',
      'IN may be a .stria file or any format that compress reads. VALUE is a real value: slope × stored + intercept.',
      'The planes of the volume are read one after another, so only the mesh must fit into memory.',
    ],
  },
  merge: {
    usage: 'PART... -o OUT',
    summary: 'join the parts of a volume that were compressed separately, or combine volumes',
    options: [
      'output',
      'by',
      'type',
      'levels',
      'no-levels',
      'codec',
      'prefer',
      'axis',
      'effort',
      'device',
      'threads',
      'gpu-limits',
      'tuning',
      ...common,
    ],
    notes: [
      'The parts come from `stria compress --part` or `--origin`, in any order. A PART that is a folder stands for all .stria files',
      'in it. OUT is byte for byte the file that compressing the whole volume at once gives. Chunks are copied, and decoded',
      'only to make lower resolutions, which parts do not have.',
      'Before it writes, merge names parts that are missing, given twice, or of another volume.',
      'With --by, each input is a whole volume, such as one process of a simulation writes:',
      '  stria merge rank*.stria --by sum --type u16 -o total.stria',
      'Sums are limited to what the type holds; --type takes a wider one. Chunks that one volume alone fills are copied, so sparse',
      'volumes merge as fast as they are read. The options of compress hold for the others.',
    ],
  },
  deposit: depositEntry,
  levels: {
    usage: 'IN [-o OUT]',
    summary: 'add lower resolutions to a .stria file, or remove them',
    options: [
      'output',
      'remove',
      'method',
      'codec',
      'prefer',
      'axis',
      'effort',
      'device',
      'threads',
      'gpu-limits',
      'tuning',
      ...common,
    ],
    notes: [
      'Lower resolutions (levels) are for viewing large volumes. The voxels and the restored source stay the same, byte for byte.',
      'Without -o, IN is replaced once the new file is complete. Levels that it has are made again.',
    ],
  },
  recover: {
    usage: 'IN -o OUT',
    summary: 'save every intact chunk of a damaged .stria file',
    options: ['output', 'fill', ...common],
    notes: [
      'Reports how many chunks are lost and marks them in OUT: `info` and `verify` report them, and decompress needs --fill',
      'to write 0 for their voxels. With --fill here, OUT is an ordinary file with zeros in their place.',
    ],
  },
  serve: {
    usage: 'FOLDER',
    summary: 'show the volumes of a folder in web browsers, read only',
    options: ['host', 'port', 'app', 'open', ...common],
    notes: [
      'The page lists volumes and folders; a volume opens in the web app, which reads only the parts that it shows.',
      'Only this machine reaches the page unless --host says otherwise; then its address has a random token, and whoever has it',
      'can read the folder. From another machine, a tunnel is safer, and lets the browser use its GPU:',
      '  ssh -L 8437:localhost:8437 lab-machine stria serve /data',
      'Hidden files, and links that lead out of the folder, are not served. Ctrl-C ends.',
    ],
  },
  sample: {
    usage: 'KIND --size N -o OUT',
    summary: 'generate a test volume: zero, sequence254, sequence255, potential, phantom or labels',
    options: ['size', 'type', 'seed', 'output', 'device', 'threads', 'gpu-limits', 'tuning', ...common],
    notes: [
      'The ending of OUT selects the format: .nii, .nrrd, .raw (with a sidecar OUT.json) or .stria.',
      '--type is u8 (default) or u16.',
    ],
  },
  bench: {
    usage: '[codecs [SAMPLE...] | compress [SAMPLE...] | seeds | playback | view | files [IN...] | tune | compare A B]',
    summary: 'measure kernels and whole files on this machine, relative to a plain copy',
    options: ['size', 'type', 'codec', 'tools', 'output', 'device', 'gpu-limits', 'tuning', ...common],
    notes: [
      'codecs  every codec, and auto, on every sample volume or on those named (the default)',
      'compress  what the app’s Compress does with each sample volume in GPU memory, by the clock: first, again, after a pause',
      'seeds   the tables of the papers behind Stria, reproduced here with their own algorithms',
      'playback  a stack of pictures, decoded from compressed GPU memory and drawn frame by frame',
      'view    the 3D view of a rotating volume, and of two in one pass, drawn with lighting at 1920 × 1080',
      'files   whole files through the whole program: by the GPU and by 1, 2 and all threads of the CPU, compared with cp, gzip,',
      '        pigz, lz4, zstd, xz, JPEG-LS (ffmpeg) and JPEG XL (cjxl) if installed',
      'tune    tries the workgroup sizes of kernels on this GPU; keeps one that is 5 % faster than the standard, twice',
      'compare checks whether two results agree within 5 %; refuses results from different machines or workloads',
      '--size is the side of the volumes. The default is 256; 512 for seeds, compress, playback and view; 64 on a software GPU.',
      'Times are medians, from timestamp queries where the GPU has them. Every output is verified after its timing.',
      '-o writes the whole result as JSON; files also saves it after each program.',
    ],
  },
  gpu: {
    usage: '',
    summary: 'describe the GPU: adapter, limits and missing features',
    options: common,
    notes: [],
  },
} as const satisfies Record<string, CommandEntry>;
export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as readonly CommandName[];

/** A command's row of the table, without its literal types. */
export function commandEntry(name: CommandName): CommandEntry {
  return commands[name];
}

export function optionEntry(name: OptionName): OptionEntry {
  return options[name];
}
