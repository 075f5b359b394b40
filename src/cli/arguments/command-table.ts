import { sampleKinds, sampleSummaries } from '../../core/samples/sample-kinds.ts';
import { depositEntry } from './deposit-table.ts';
import { type OptionName, optionEntry } from './option-table.ts';

interface CommandEntry {
  readonly usage: string;
  readonly summary: string;
  readonly options: readonly OptionName[];
  /** What an option says in this command, if it differs from the table of options. */
  readonly words?: Partial<Record<OptionName, string>>;
  readonly notes: readonly string[];
}

const rawInput = ['dims', 'type', 'endian', 'offset'] as const;
/** Options that set how a picture looks and which device draws it. */
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
/** What `-o` says where a file that exists is replaced without -f. */
const replacedFile = 'file to write, or - for standard output; replaced if it exists';

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
      'The output has the folder’s name and lies beside it. Several files of one series become one volume if OUT ends in .stria:',
      '  stria compress series/* -o scan.stria',
      'IN may be a web address (https, http, s3, gs) of a file or an OME-Zarr; the output is then written to the current folder.',
      'A raw file needs --dims and --type, or a sidecar (scan.raw.json) beside it.',
      'Several machines can share the work. Each compresses one part, and `stria merge` joins them to the file that one machine',
      'would have written:',
      '  stria compress scan.nii --part 3/8 -o parts/',
      'If the volume is stored in pieces, each piece becomes a part: stria compress piece.raw --origin 0,0,512 --of 1024,1024,1024 …',
      'An IN of - is standard input. Standard input and named pipes are buffered in a temporary file ($TMPDIR):',
      '  curl https://example.org/scan.nii.gz | stria compress - -o scan.stria',
    ],
  },
  decompress: {
    usage: 'IN [-o OUT]',
    summary: 'restore the source of a .stria file byte for byte, or export it to another format',
    options: ['output', 'force', 'to', 'fill', 'device', 'threads', 'gpu-limits', 'tuning', 'picture-memory', ...common],
    notes: [
      'IN, here and in other commands, may be a web address. Only the parts that are needed are read.',
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
    notes: ['If IN holds several volumes, info lists them with the ids that --dataset takes.'],
  },
  stats: {
    usage: 'IN [--labels FILE] [-o OUT.csv]',
    summary: 'measure a volume: count, volume, mean, deviation and range of each label, channel and time point',
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
    words: {
      box: 'only this box: first corner and lengths, in voxels',
      output: 'CSV to write, or - for standard output; replaced if it exists',
    },
    notes: [
      'IN and FILE may be .stria files or any format that compress reads. Values are physical: slope × stored + intercept.',
      '  stria stats scan.nii --labels atlas.nii -o regions.csv',
      'Label names come from --table FILE, or else from the segmentation itself, if its header or metadata has a table.',
      'The deviation is the sample standard deviation (n − 1). NaN and infinite values are counted separately.',
    ],
  },
  picture: {
    usage: 'IN -o OUT.png',
    summary: 'draw a volume in 3D or as a slice, as the app does, and write a PNG',
    options: ['output', ...viewing, ...rawInput, ...common],
    words: {
      output: 'PNG to write, or - for standard output; replaced if it exists',
      size: 'size in pixels: WxH, or N for a square (default 1024x768)',
    },
    notes: [
      'IN may be a .stria file or any format that compress reads. The pixels are those of the app’s own pictures without',
      'annotations, with 8 bits per colour. -o - writes the PNG to standard output.',
      '  stria picture scan.nii.gz -o scan.png',
      '  stria picture scan.nii.gz -o slice.png --view z --slice 41 --window -160,240 --colormap bone --size 800',
      'IN may also be a .stria-session: the volume that it names is drawn. With --session, IN is drawn as the session shows its own',
      'volume: stria picture other.nii --session scan.stria-session -o other.png',
      'The angles AROUND,UP turn the camera from the front towards the right of the picture, and upwards: --from 30,15.',
      'Pictures need WebGPU: a hardware GPU, or a software one, which is slower. --device cpu selects the software one.',
    ],
  },
  movie: {
    usage: 'IN --along WHAT -o OUT',
    summary: 'draw the frames of a movie as numbered PNGs: time points, slices or a turntable',
    options: ['output', 'force', 'along', 'first', 'last', 'degrees', 'frames', 'fps', ...viewing, ...rawInput, ...common],
    words: {
      output: 'folder for the frames, or a ZIP, which is replaced if it exists',
      force: 'replace a folder of frames',
      size: 'size in pixels: WxH, or N for a square (default 1024x768)',
    },
    notes: [
      'OUT is a new folder, or a ZIP if its name ends in .zip. -f replaces a folder of frames.',
      '  stria movie scan.nii.gz --along turn --frames 90 -o turn',
      '  stria movie bold.nii.gz --along t --view z --slice 50% -o bold.zip',
      'Stria does not encode videos. ffmpeg makes a video from the folder; stria prints this line with the names filled in:',
      '  ffmpeg -framerate 30 -i turn/frame-%04d.png -vf "pad=ceil(iw/2)*2:ceil(ih/2)*2" -pix_fmt yuv420p turn.mp4',
      'IN and all other options are as for `stria picture`, including sessions.',
    ],
  },
  mesh: {
    usage: 'IN --level VALUE -o OUT.stl',
    summary: 'extract a surface as a mesh: .stl, .ply, .obj or .glb',
    options: [
      'output',
      'force',
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
    words: {
      output: replacedFile,
    },
    notes: [
      'The mesh is closed, also at the faces of the volume. Its coordinates are the file’s world coordinates (RAS+ millimetres for',
      'most scans).',
      '  stria mesh ct.nii.gz --level 300 -o bone.stl',
      '  stria mesh atlas.nii --label 10,49 --table FreeSurferColorLUT.txt -o thalamus.glb',
      '  stria mesh atlas.nii --label all -o regions.obj',
      'IN may be a .stria file or any format that compress reads. VALUE is a real value: slope × stored + intercept.',
      'The volume is read a few planes at a time, so only the mesh must fit into memory. GPU and CPU find the same triangles.',
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
    words: {
      output: replacedFile,
      type: 'voxel type of the sums of --by: u8 i8 u16 i16 u32 i32 f32 f64',
    },
    notes: [
      'The parts come from `stria compress --part` or `--origin`, in any order. A PART that is a folder stands for all .stria files',
      'in it. OUT is byte for byte the file that compressing the whole volume at once gives. Chunks are copied. They are decoded',
      'only to make lower resolutions, which parts do not have: give merge the codec options that the parts were compressed with.',
      'Before it writes, merge reports parts that are missing, given twice, or of another volume.',
      'With --by, each input is a whole volume, such as the output of one process of a simulation:',
      '  stria merge rank*.stria --by sum --type u16 -o total.stria',
      'Sums saturate at the limits of their type; --type chooses a wider one. Chunks that only one volume fills are copied, so sparse',
      'volumes merge as fast as they are read. The codec options apply to the other chunks.',
    ],
  },
  deposit: depositEntry,
  levels: {
    usage: 'IN [-o OUT]',
    summary: 'add lower resolutions to a .stria file, keep those of another file beside it, or remove them',
    options: [
      'output',
      'dataset',
      'axes',
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
      ...rawInput,
      ...common,
    ],
    words: {
      output: replacedFile,
    },
    notes: [
      'Lower resolutions (levels) are for viewing large volumes. The voxels and the restored source stay the same, byte for byte.',
      'If levels would take more than 15 % of a .stria, the finest ones are left out. The coarsest one always stays.',
      'Without -o, a .stria is replaced once the new file is complete. Existing levels are computed again.',
      'A file of another format stays as it is: its levels are written to a file beside it, as scan.nii.levels.stria for scan.nii.',
      'The app and `info` use them as long as scan.nii is unchanged. --remove removes that file.',
    ],
  },
  recover: {
    usage: 'IN -o OUT',
    summary: 'save every intact chunk of a damaged .stria file',
    options: ['output', 'fill', ...common],
    words: {
      output: replacedFile,
    },
    notes: [
      'Reports how many chunks are lost and marks them in OUT. `info` and `verify` list them, and `decompress` then needs --fill,',
      'which writes 0 for their voxels. With --fill here, OUT is an ordinary file with zeros in their place.',
    ],
  },
  serve: {
    usage: 'FOLDER',
    summary: 'show the volumes of a folder in web browsers, read only',
    options: ['host', 'port', 'app', 'open', ...common],
    notes: [
      'The page lists volumes and folders. A volume opens in the web app, which reads only the parts that it shows.',
      'Only this machine can reach the page unless --host says otherwise. Then its address contains a random token, and anyone who',
      'has the address can read the folder. From another machine, a tunnel is safer, and lets the browser use its GPU:',
      '  ssh -L 8437:localhost:8437 lab-machine stria serve /data',
      'Hidden files and links that lead out of the folder are not served. Ctrl-C stops the server.',
    ],
  },
  sample: {
    usage: 'KIND --size N -o OUT',
    summary: 'generate a test volume: zero, sequence254, sequence255, potential, phantom or labels',
    options: ['size', 'type', 'seed', 'output', 'device', 'threads', 'gpu-limits', 'tuning', ...common],
    words: {
      output: replacedFile,
      type: 'voxel type: u8 (default), u16 or f32',
    },
    notes: [
      ...sampleKinds.map((kind) => `${kind.padEnd(13)}${sampleSummaries[kind]}`),
      'The ending of OUT selects the format: .nii, .nrrd, .raw (with a sidecar OUT.json) or .stria.',
      '  stria sample phantom --size 512 -o phantom.nii',
      'Intensities of f32 are those of u16 divided by 65,535. --device matters only for a .stria, which is compressed at once.',
    ],
  },
  bench: {
    usage: '[SUITE [SAMPLE...|IN...] | tune | compare A B]',
    summary: 'measure kernels and whole files on this machine, relative to a plain copy',
    options: ['size', 'type', 'codec', 'repetitions', 'tools', 'limit', 'output', 'device', 'gpu-limits', 'tuning', ...common],
    words: {
      output: replacedFile,
      size: 'side of the volumes in voxels',
      type: 'voxel type of the samples: u8 (default), u16 or f32',
    },
    notes: [
      'codecs    every codec, and auto, on every sample volume or on those named (the default);',
      '          with a file, on its volume, repeated to the size of the samples',
      'compress  the app’s Compress on each sample volume in GPU memory, by wall clock: first, next, after a pause, with its check',
      'seeds     the tables of the papers behind Stria, reproduced here with the papers’ algorithms',
      'playback  a stack of pictures, decoded from compressed GPU memory and drawn frame by frame',
      'view      the 3D view of a rotating volume, and of two in one pass, drawn with lighting at 1920 × 1080',
      'bricks    a computed volume of 1 TiB in 3D, turning and flown through; bricks decoded from GPU memory; a series in 3D;',
      '          with a .stria file, only its volume, turning and flown through',
      'mesh      the surfaces of a volume and of all labels, from voxels and from compressed chunks, compared with one CPU thread',
      'files     whole files through the whole program: by the GPU and by 1, 2 and all threads of the CPU, compared with cp, gzip,',
      '          pigz, lz4, zstd, xz, JPEG-LS (ffmpeg) and JPEG XL (cjxl) if installed',
      'tune      tries workgroup sizes of kernels on this GPU; keeps one that is 5 % faster than the standard in two measurements',
      'compare   checks whether two results agree within 5 %; refuses results from different machines or workloads',
      '--size is the side of the volumes. The default is 256 for codecs and files, 512 for the others; 64 on a software GPU.',
      'Times are medians, from timestamp queries where the GPU has them. Every output is verified after it is timed.',
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

/** An option's text in the help of a command. */
export function optionText(name: CommandName, option: OptionName): string {
  return commandEntry(name).words?.[option] ?? optionEntry(option).text;
}

/** A command's row of the table, without its literal types. */
export function commandEntry(name: CommandName): CommandEntry {
  return commands[name];
}
