import { displayText } from '../../core/shared/display-text.ts';
import type { FaultTag, StriaError } from '../../core/shared/errors.ts';
import { choiceTable } from './choice-table.ts';

/** The command's exit codes. `stria --help` lists them, and scripts may rely on them. */
export const exitCodes = {
  ok: 0,
  badData: 1,
  usage: 2,
  files: 3,
  gpu: 4,
  internal: 5,
  cancelled: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.ok, 'success'],
  [exitCodes.badData, 'the data is damaged, or its format is not supported'],
  [exitCodes.usage, 'the command line is wrong'],
  [exitCodes.files, 'a file cannot be read or written'],
  [exitCodes.gpu, 'the requested GPU is not available, or was lost'],
  [exitCodes.internal, 'out of memory, or an internal error'],
  [exitCodes.cancelled, 'cancelled; no partial output was left'],
];

interface FaultWords {
  readonly exitCode: ExitCode;
  /** The kind of fault, shown before its message. */
  readonly title: string;
  /** What to do next. Undefined if the message says so itself. */
  readonly next: string | undefined;
  /** Replaces `next` for pictures and movies, which always need a GPU. */
  readonly nextOfPictures?: string;
  /** For `bench`, most of which cannot do without a GPU. */
  readonly nextOfBench?: string;
  /** Replaces `next` for a .stria. */
  readonly nextOfStria?: string;
}

/** Every fault in words for the command line. A new tag does not compile until it has an entry here. */
export const faultWords: Readonly<Record<FaultTag, FaultWords>> = {
  corrupt: {
    exitCode: exitCodes.badData,
    title: 'damaged file',
    next: 'Use another copy of the file if there is one.',
    nextOfStria: 'Use another copy of the file if there is one. `stria recover IN -o OUT` saves every intact chunk.',
  },
  unsupported: {
    exitCode: exitCodes.badData,
    title: 'not supported',
    next: undefined,
  },
  'invalid-input': { exitCode: exitCodes.usage, title: 'invalid input', next: undefined },
  several: {
    exitCode: exitCodes.usage,
    title: 'several volumes',
    next: 'Choose one with `--dataset ID`. `stria info` lists them all.',
  },
  'not-readable': { exitCode: exitCodes.files, title: 'cannot read', next: undefined },
  'not-writable': { exitCode: exitCodes.files, title: 'cannot write', next: undefined },
  'no-webgpu': {
    exitCode: exitCodes.gpu,
    title: 'no WebGPU',
    next: 'Use `--device cpu`, which works without it and gives the same bytes.',
    nextOfPictures:
      'Drawing needs the webgpu package: `npm install -g webgpu`, or install Stria again with its optional packages.',
    nextOfBench: 'Install the webgpu package: `npm install -g webgpu`. `stria bench files --device cpu` works without it.',
  },
  'no-adapter': {
    exitCode: exitCodes.gpu,
    title: 'no graphics adapter',
    next: 'Use `--device cpu`, which works without one and gives the same bytes. `stria gpu` shows what is missing.',
    nextOfPictures:
      'Drawing needs a Vulkan driver: your GPU’s, or a software one (SwiftShader, which comes with Chromium, or a current Mesa: mesa-vulkan-drivers). `stria gpu` shows what is missing.',
    nextOfBench: '`stria gpu` shows what is missing. `stria bench files --device cpu` needs no GPU.',
  },
  'limit-too-small': {
    exitCode: exitCodes.gpu,
    title: 'the GPU is too small',
    next: 'Use `--device cpu`, which does not need it and gives the same bytes.',
    nextOfPictures: 'Choose a smaller --size.',
    nextOfBench: 'Choose a smaller --size.',
  },
  'device-lost': {
    exitCode: exitCodes.gpu,
    title: 'the GPU was lost',
    next: 'Run the command again, or use `--device cpu`. The input is unchanged.',
    nextOfPictures: 'Run the command again, or draw on the CPU with `--device cpu`.',
  },
  'out-of-memory': {
    exitCode: exitCodes.internal,
    title: 'out of memory',
    next: 'Close other programs, or use a machine with more memory.',
  },
  aborted: { exitCode: exitCodes.cancelled, title: 'cancelled', next: undefined },
  internal: {
    exitCode: exitCodes.internal,
    title: 'internal error',
    next: 'Please report it with this message and the command you ran.',
  },
};

/** A fault as lines for the terminal: what happened, where, and what to do next. @param command the command that failed, if known */
export function describeFault(fault: StriaError, command?: string): string {
  const words = faultWords[fault.tag];
  const isStria = fault.context.some((place) => /\.stria$/i.test(place));
  // `recover` fails only if it can save nothing.
  const ofPictures = command === 'picture' || command === 'movie' ? words.nextOfPictures : undefined;
  const ofBench = command === 'bench' ? words.nextOfBench : undefined;
  const next = ofPictures ?? ofBench ?? (isStria && command !== 'recover' ? words.nextOfStria : undefined) ?? words.next;
  if (fault.tag === 'aborted') return 'stria: cancelled';
  const choices = fault.choices ? `\n${choiceTable(fault.choices)}` : '';
  return `stria: ${words.title}: ${displayText(fault.fullMessage)}${choices}${next ? `\n  ${next}` : ''}`;
}
