import { StriaError } from '../../core/shared/errors.ts';
import type { Call } from './run-program.ts';

/** A program that compresses, and its arguments for each direction. */
export interface Tool {
  readonly method: string;
  readonly command: string;
  /** The program's name, if `command` is a wrapper that starts it. */
  readonly program?: string;
  readonly versionFlag?: string;
  /** `slices` means that input and output are folders of PGM slices. */
  readonly takes: 'file' | 'slices';
  readonly processor: 'gpu' | 'cpu';
  compress(input: string, output: string): Call;
  decompress(input: string, output: string): Call;
}

/** Programs that work as filters, from standard input to standard output. `-T0` and pigz use all threads. */
const filters: readonly (readonly [command: string, ...flags: string[]])[] = [
  ['gzip', '-6'],
  ['pigz', '-6'],
  ['lz4', '-1'],
  ['zstd', '-1', '-T0'],
  ['zstd', '-3', '-T0'],
  ['zstd', '-19', '-T0'],
  ['xz', '-6', '-T0'],
];

/** Compresses each slice of a folder and decompresses it again, in a shell, because the coder takes one picture at a time. */
const jpegXl = {
  compress: 'for f in "$1"/*.pgm; do cjxl "$f" "$2/$(basename "$f" .pgm).jxl" -d 0 -e 7 --quiet || exit 1; done',
  decompress: 'for f in "$1"/*.jxl; do djxl "$f" "$2/$(basename "$f" .jxl).pgm" --quiet || exit 1; done',
};

const ffmpeg = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-i'] as const;

/** Programs that Stria is compared with, if they are installed. */
export const otherTools: readonly Tool[] = [
  {
    method: 'cp',
    command: 'cp',
    takes: 'file',
    processor: 'cpu',
    compress: (input, output) => ({ args: [input, output] }),
    decompress: (input, output) => ({ args: [input, output] }),
  },
  ...filters.map(
    ([command, ...flags]): Tool => ({
      method: [command, ...flags].join(' '),
      command,
      takes: 'file',
      processor: 'cpu',
      compress: (input, output) => ({ args: [...flags, '-c'], from: input, to: output }),
      decompress: (input, output) => ({ args: ['-d', '-c'], from: input, to: output }),
    }),
  ),
  {
    method: 'JPEG-LS, by slice (ffmpeg)',
    command: 'ffmpeg',
    versionFlag: '-version',
    takes: 'slices',
    processor: 'cpu',
    compress: (input, output) => ({ args: [...ffmpeg, `${input}/%06d.pgm`, '-c:v', 'jpegls', `${output}/%06d.jls`] }),
    decompress: (input, output) => ({ args: [...ffmpeg, `${input}/%06d.jls`, `${output}/%06d.pgm`] }),
  },
  {
    method: 'JPEG XL -e 7, by slice (cjxl)',
    command: 'sh',
    program: 'cjxl',
    takes: 'slices',
    processor: 'cpu',
    compress: (input, output) => ({ args: ['-c', jpegXl.compress, 'sh', input, output] }),
    decompress: (input, output) => ({ args: ['-c', jpegXl.decompress, 'sh', input, output] }),
  },
];

/** The program that a tool runs. */
export function programOf({ command, program }: Tool): string {
  return program ?? command;
}

/**
 * Returns a predicate that tells whether to measure a program.
 * @param names of programs; undefined selects all of them
 * @throws StriaError `invalid-input` for a name that is not known
 */
export function wantedPrograms(names: readonly string[] | undefined): (program: string) => boolean {
  const known = ['stria', ...new Set(otherTools.map(programOf))];
  const stranger = names?.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new StriaError('invalid-input', `Unknown program for --tools: '${stranger}'. The programs are ${known.join(', ')}.`);
  return (program) => names === undefined || names.includes(program);
}

/**
 * This command itself, started for each file: on the GPU if there is one to use, and with 1, 2 and all threads of the CPU.
 * @param options the options of `compress` that select the GPU
 */
export function striaTools(gpu: readonly string[] | undefined, threads: number, codec: string): Tool[] {
  const script = process.argv[1];
  if (script === undefined) throw new StriaError('internal', 'the command does not know the path of its own file');
  const tool = (method: string, processor: 'gpu' | 'cpu', options: readonly string[]): Tool => ({
    method,
    command: process.execPath,
    program: 'stria',
    takes: 'file',
    processor,
    compress: (input, output) => ({
      args: [script, 'compress', input, '-o', output, '--quiet', '--no-levels', '--codec', codec, ...options],
    }),
    decompress: (input, output) => ({ args: [script, 'decompress', input, '-o', output, '-f', '--quiet', ...options] }),
  });
  const counts = [...new Set([1, 2, threads])].filter((count) => count <= threads);
  const name = codec === 'auto' ? 'Stria' : `Stria ${codec}`;
  return [
    ...(gpu ? [tool(`${name}, GPU`, 'gpu', gpu)] : []),
    ...counts.map((count) =>
      tool(`${name}, ${count} CPU ${count === 1 ? 'thread' : 'threads'}`, 'cpu', ['--device', 'cpu', '--threads', String(count)]),
    ),
  ];
}
