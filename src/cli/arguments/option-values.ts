import { maxTimeGroup, preferences } from '../../core/codec/codec.ts';
import { chainNames } from '../../core/codecs/registry.ts';
import type { RawLayout } from '../../core/io/common/volume-reader.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { mostShares, type PartChoice } from '../../core/shared/part-choice.ts';
import { rawTypes } from '../../core/shared/stored-voxels.ts';
import type { Dims3, Dims4 } from '../../core/shared/volume.ts';
import type { CommandName } from './command-table.ts';
import { type OptionName, optionEntry } from './option-table.ts';
import type { CodecSelection, StatsCommand } from './parsed-command.ts';

// Values of options: their checks, and messages that say how to correct them.

/** The options of a command line, as the parser found them. */
export type OptionValues = Partial<Record<OptionName, string | boolean>>;

const maxThreads = 1024;

export function threadCount(values: OptionValues): number | undefined {
  const given = text(values, 'threads');
  if (given === undefined) return undefined;
  const count = wholeNumber('threads', given, maxThreads);
  if (count < 1) throw usage(`--threads must be from 1 to ${maxThreads}`);
  return count;
}

export function timeGroup(values: OptionValues): number | undefined {
  const given = text(values, 'time-group');
  if (given === undefined) return undefined;
  const count = wholeNumber('time-group', given, maxTimeGroup);
  if (count < 1) throw usage(`--time-group must be from 1 to ${maxTimeGroup}`);
  return count;
}

export function rawLayout(values: OptionValues): RawLayout | undefined {
  const [dims, type] = [text(values, 'dims'), text(values, 'type')];
  if (dims === undefined && type === undefined) {
    const stray = (['endian', 'offset'] as const).find((option) => values[option] !== undefined);
    if (stray) throw usage(`--${stray} describes a raw file and needs --dims and --type`);
    return undefined;
  }
  if (dims === undefined) throw usage('--type describes a raw file and needs --dims X,Y,Z');
  if (type === undefined) throw usage(`--dims describes a raw file and needs --type (${rawTypes.join(' ')})`);
  return {
    dims: rawDims(dims),
    type: oneOf(values, 'type', rawTypes, 'u8'),
    endian: oneOf(values, 'endian', ['little', 'big'], 'little'),
    offset: wholeNumber('offset', text(values, 'offset') ?? '0', Number.MAX_SAFE_INTEGER),
  };
}

export function codecOptions(values: OptionValues): CodecSelection {
  return {
    codec: oneOf(values, 'codec', ['auto', ...chainNames()], 'auto'),
    axis: oneOf(values, 'axis', ['x', 'y', 'z', 'auto'], 'auto'),
    prefer: oneOf(values, 'prefer', preferences, 'balanced'),
    effort: oneOf(values, 'effort', ['normal', 'max'], 'normal'),
  };
}

export function partChoice(values: OptionValues, inputs: readonly string[]): PartChoice | undefined {
  const [part, origin, of] = [text(values, 'part'), text(values, 'origin'), text(values, 'of')];
  if (part === undefined && origin === undefined && of === undefined) return undefined;
  if (inputs.length > 1 && part === undefined) throw usage('--origin and --of describe one input');
  if (part !== undefined) {
    if (origin !== undefined || of !== undefined)
      throw usage('--part divides one input; --origin and --of say where a piece lies');
    return shareOf(part);
  }
  if (origin === undefined || of === undefined) throw usage('a piece of a larger volume needs both --origin and --of');
  return { origin: threeLengths('origin', origin, 0), of: threeLengths('of', of, 1) };
}

/** `3/8`, or `/8` within a Slurm job array. */
export function shareOf(value: string): { readonly number: number; readonly of: number } {
  const [, given, count] = /^(\d*)\/(\d+)$/.exec(value) ?? [];
  if (count === undefined) throw usage(`--part takes a number and a count, such as 3/8; got '${value}'`);
  const variable = 'SLURM_ARRAY_TASK_ID';
  const word = given || process.env[variable];
  if (word === undefined)
    throw usage(`--part ${value} takes the number from ${variable}, which is not set; write --part 1${value}`);
  const [number, of] = [wholeNumber('part', word, mostShares), wholeNumber('part', count, mostShares)];
  if (number < 1 || number > of) {
    const hint = given ? '' : ` (from ${variable}; use --array=1-${of})`;
    throw usage(`--part ${number}/${of}: parts are numbered from 1 to ${of}${hint}`);
  }
  return { number, of };
}

export function labelOptions(values: OptionValues): Pick<StatsCommand, 'labels' | 'table'> {
  const [labels, table] = [text(values, 'labels'), text(values, 'table')];
  if (table !== undefined && labels === undefined)
    throw usage('--table names the labels of a segmentation; give the segmentation with --labels');
  return { labels, table };
}

export function boxOf(values: OptionValues): StatsCommand['box'] {
  const value = text(values, 'box');
  if (value === undefined) return undefined;
  const numbers = value.split(',');
  if (numbers.length !== 6) throw usage(`--box takes six whole numbers, such as 10,20,0,64,64,30; got '${value}'`);
  const dims = threeLengths('box', numbers.slice(3).join(), 1);
  return { origin: threeLengths('box', numbers.slice(0, 3).join(), 0), dims };
}

function threeLengths(option: OptionName, value: string, least: number): Dims3 {
  const [x, y, z, ...more] = value.split(',').map((part) => wholeNumber(option, part, 2 ** 31 - 1));
  if (x === undefined || y === undefined || z === undefined || more.length > 0 || Math.min(x, y, z) < least) {
    throw usage(`--${option} takes three whole numbers from ${least}, such as 0,0,512; got '${value}'`);
  }
  return [x, y, z];
}

export function pictureMemory(values: OptionValues): number | undefined {
  const value = text(values, 'picture-memory');
  return value === undefined ? undefined : wholeNumber('picture-memory', value, 2 ** 24) * 2 ** 20;
}

/** `512,512,300`, or `512x512x300` as in names of raw files. */
function rawDims(value: string): Dims4 {
  const [x, y, z, t = 1, ...more] = value.split(/[,x]/).map((part) => side('dims', part));
  if (x === undefined || y === undefined || z === undefined || more.length > 0) {
    throw usage(`--dims takes three or four lengths, such as 512,512,300; got '${value}'`);
  }
  return [x, y, z, t];
}

export function sampleDims(value: string): Dims3 {
  const [x, y, z, ...more] = value.split(',').map((part) => side('size', part));
  if (x !== undefined && y === undefined) return [x, x, x];
  if (x === undefined || y === undefined || z === undefined || more.length > 0) {
    throw usage(`--size takes one length or three, such as 256 or 512,512,300; got '${value}'`);
  }
  return [x, y, z];
}

function side(option: OptionName, value: string): number {
  const length = wholeNumber(option, value, 2 ** 31 - 1);
  if (length === 0) throw usage(`--${option}: a side must be at least 1`);
  return length;
}

export function wholeNumber(option: OptionName, value: string, maximum: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= maximum)) throw usage(`--${option} takes a whole number from 0 to ${maximum}; got '${value}'`);
  return number;
}

export function oneOf<const T extends string>(values: OptionValues, option: OptionName, choices: readonly T[], fallback: T): T {
  const value = text(values, option);
  if (value === undefined) return fallback;
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw usage(`--${option} must be one of ${choices.join(', ')}; got '${value}'`);
  return choice;
}

export function text(values: OptionValues, option: OptionName): string | undefined {
  const value = values[option];
  if (value === '') throw usage(`--${option} is empty`);
  return typeof value === 'string' ? value : undefined;
}

export function needed(name: CommandName, option: OptionName, value: string | undefined): string {
  if (value === undefined) {
    const { short } = optionEntry(option);
    throw usage(`${name} needs ${short ? `-${short} or ` : ''}--${option}; see \`stria ${name} --help\``);
  }
  return value;
}

export function only(name: CommandName, positionals: readonly string[], what = 'one input'): string {
  const [first, second] = positionals;
  if (first === undefined) throw usage(`${name} needs ${what}; see \`stria ${name} --help\``);
  if (second !== undefined) throw usage(`${name} takes ${what}; '${second}' is one too many`);
  return first;
}

export function usage(message: string): StriaError {
  return new StriaError('invalid-input', message);
}
