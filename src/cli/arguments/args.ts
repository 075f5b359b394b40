import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type SuiteName, suiteNames } from '../../core/bench/harness/tables.ts';
import { maxTimeGroup, type Preference, preferences } from '../../core/codec/codec.ts';
import { chainNames, codecs } from '../../core/codecs/registry.ts';
import type { RawLayout } from '../../core/io/common/volume-reader.ts';
import { type SampleKind, sampleKinds } from '../../core/samples/sample-kinds.ts';
import { type CombineRule, combineRules } from '../../core/shared/combine-rule.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { mostShares, type PartChoice } from '../../core/shared/part-choice.ts';
import { type WritableFormat, writableFormats } from '../../core/shared/source.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { type Dims3, type Dims4, type ElementType, elementTypes } from '../../core/shared/volume.ts';
import { type CommandName, commandEntry, commandNames, type OptionName, optionEntry, options } from './command-table.ts';

const maxThreads = 1024;

export type DeviceWish = 'gpu' | 'cpu' | 'auto';

/** Which device does the work. */
export interface DeviceOptions {
  readonly device: DeviceWish;
  readonly gpuLimits: 'adapter' | 'default';
  /** How many threads the CPU may use; undefined for as many as it has. */
  readonly threads: number | undefined;
  /** A file written by `stria bench tune`. */
  readonly tuning: string | undefined;
}

/** What a command prints. */
export interface TalkOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface CompressCommand extends DeviceOptions, TalkOptions {
  readonly name: 'compress';
  readonly inputs: readonly string[];
  readonly output: string | undefined;
  readonly force: boolean;
  readonly codec: string;
  readonly axis: 'x' | 'y' | 'z' | 'auto';
  readonly prefer: Preference;
  readonly effort: 'normal' | 'max';
  /** Undefined leaves it to the engine. */
  readonly timeGroup: number | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  /** A letter for each axis of an array, slowest first. */
  readonly axes: string | undefined;
  readonly stripIdentity: boolean;
  readonly part: PartChoice | undefined;
  /** In bytes. Undefined leaves the limit to the engine. */
  readonly pictureMemory: number | undefined;
}

export interface DecompressCommand extends DeviceOptions, TalkOptions {
  readonly name: 'decompress';
  readonly input: string;
  readonly output: string | undefined;
  readonly force: boolean;
  readonly fill: boolean;
  readonly to: WritableFormat | undefined;
  readonly pictureMemory: number | undefined;
}

export interface VerifyCommand extends DeviceOptions, TalkOptions {
  readonly name: 'verify';
  readonly input: string;
}

export interface InfoCommand extends TalkOptions {
  readonly name: 'info';
  readonly input: string;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
  /** Given: the metadata is printed, too, as far as it holds all words of this; '' for all of it. */
  readonly tags: string | undefined;
}

export interface StatsCommand extends DeviceOptions, TalkOptions {
  readonly name: 'stats';
  readonly input: string;
  readonly labels: string | undefined;
  readonly box: { readonly origin: Dims3; readonly dims: Dims3 } | undefined;
  readonly output: string | undefined;
  readonly raw: RawLayout | undefined;
  readonly dataset: string | undefined;
  readonly axes: string | undefined;
}

export interface MergeCommand extends DeviceOptions, TalkOptions {
  readonly name: 'merge';
  /** Files, and folders of them. */
  readonly inputs: readonly string[];
  readonly output: string;
  /** Combine whole volumes. What follows holds for that. */
  readonly by: CombineRule | undefined;
  readonly type: ElementType | undefined;
  readonly codec: string;
  readonly axis: 'x' | 'y' | 'z' | 'auto';
  readonly prefer: Preference;
  readonly effort: 'normal' | 'max';
}

export interface RecoverCommand extends TalkOptions {
  readonly name: 'recover';
  readonly input: string;
  readonly output: string;
  readonly fill: boolean;
}

export interface SampleCommand extends DeviceOptions, TalkOptions {
  readonly name: 'sample';
  readonly kind: SampleKind;
  readonly dims: Dims3;
  readonly type: 'u8' | 'u16';
  readonly seed: number;
  readonly output: string;
}

export interface BenchCommand extends DeviceOptions, TalkOptions {
  readonly name: 'bench';
  /** A suite to run, `compare` for two results, or `tune` for the GPU. */
  readonly task: SuiteName | 'compare' | 'tune';
  /** Samples for the suite `codecs`, files for `files`, results for `compare`. */
  readonly inputs: readonly string[];
  /** Side length of the sample volumes. Undefined leaves it to the suite. */
  readonly size: number | undefined;
  readonly type: 'u8' | 'u16';
  readonly codecs: readonly string[];
  readonly output: string | undefined;
}

export interface GpuCommand extends TalkOptions {
  readonly name: 'gpu';
}

export type ParsedCommand =
  | { readonly name: 'help'; readonly topic: CommandName | undefined }
  | { readonly name: 'version' }
  | CompressCommand
  | DecompressCommand
  | VerifyCommand
  | InfoCommand
  | StatsCommand
  | MergeCommand
  | RecoverCommand
  | SampleCommand
  | BenchCommand
  | GpuCommand;

type Values = Partial<Record<OptionName, string | boolean>>;

/**
 * Parses the command line.
 * @param argv without `node` and the script
 * @throws StriaError `invalid-input`, with a message that says how to correct it
 */
export function parseCommand(argv: readonly string[]): ParsedCommand {
  const [word, ...rest] = argv;
  if (word === undefined || word === '--help' || word === '-h') return { name: 'help', topic: undefined };
  if (word === 'help') return { name: 'help', topic: rest[0] === undefined ? undefined : commandName(rest[0]) };
  if (word === '--version' || word === '-v') return { name: 'version' };
  const name = commandName(word);
  const { values, positionals } = parseOptions(name, rest);
  if (values.help) return { name: 'help', topic: name };
  const command = build(name, values, positionals);
  if ('output' in command && command.output === standardStream && command.json) {
    throw usage('--json and -o - both need standard output; name a file with -o');
  }
  return command;
}

function commandName(word: string): CommandName {
  const name = commandNames.find((known) => known === word);
  if (!name) throw usage(`Unknown command: ${word}. The commands are ${commandNames.join(', ')}.`);
  return name;
}

function parseOptions(name: CommandName, args: readonly string[]): { values: Values; positionals: string[] } {
  const config: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of commandEntry(name).options) {
    const { short, value } = optionEntry(option);
    config[option] = { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) };
  }
  try {
    // `--tags` alone is `--tags=`: a value that may be left out cannot be the next word.
    const words = args.map((word) => (isOptional(word) ? `${word}=` : word));
    return parseArgs({ args: words, options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message : String(error)}; see \`stria ${name} --help\``);
  }
}

function isOptional(word: string): boolean {
  return (
    word.startsWith('--') && Object.entries(options).some(([name, entry]) => word === `--${name}` && 'isValueOptional' in entry)
  );
}

function build(name: CommandName, values: Values, positionals: readonly string[]): ParsedCommand {
  const talk = { json: values.json === true, quiet: values.quiet === true };
  const gpuLimits = oneOf(values, 'gpu-limits', ['adapter', 'default'], 'adapter');
  const tuning = text(values, 'tuning');
  const device = (): DeviceOptions => ({
    device: oneOf(values, 'device', ['gpu', 'cpu', 'auto'], 'auto'),
    gpuLimits,
    threads: threadCount(values),
    tuning,
  });
  const output = text(values, 'output');
  const force = values.force === true;
  const fill = values.fill === true;
  switch (name) {
    case 'compress': {
      if (positionals.length === 0) throw usage('compress needs at least one input: `stria compress scan.nii.gz`');
      return {
        name,
        inputs: positionals,
        output,
        force,
        ...codecOptions(values),
        timeGroup: timeGroup(values),
        raw: rawLayout(values),
        dataset: text(values, 'dataset'),
        axes: text(values, 'axes'),
        stripIdentity: values['strip-identity'] === true,
        part: partChoice(values, positionals),
        pictureMemory: pictureMemory(values),
        ...device(),
        ...talk,
      };
    }
    case 'decompress': {
      const to = values.to === undefined ? undefined : oneOf(values, 'to', writableFormats, 'raw');
      const limit = pictureMemory(values);
      const input = only(name, positionals);
      if (input === standardStream && output === undefined) throw usage('standard input has no name; name the output with -o');
      return { name, input, output, force, fill, to, pictureMemory: limit, ...device(), ...talk };
    }
    case 'verify':
      return { name, input: only(name, positionals), ...device(), ...talk };
    case 'info':
      return {
        name,
        input: only(name, positionals),
        raw: rawLayout(values),
        dataset: text(values, 'dataset'),
        axes: text(values, 'axes'),
        tags: typeof values.tags === 'string' ? values.tags : undefined,
        ...talk,
      };
    case 'stats':
      return {
        name,
        input: only(name, positionals),
        labels: text(values, 'labels'),
        box: boxOf(values),
        output,
        raw: rawLayout(values),
        dataset: text(values, 'dataset'),
        axes: text(values, 'axes'),
        ...device(),
        ...talk,
      };
    case 'merge':
      if (positionals.length === 0) throw usage('merge needs the parts, or a folder of them: `stria merge parts -o scan.stria`');
      return mergeCommand(values, { name, inputs: positionals, output: needed(name, 'output', output), ...device(), ...talk });
    case 'recover':
      return { name, input: only(name, positionals), output: needed(name, 'output', output), fill, ...talk };
    case 'sample': {
      const word = only(name, positionals, `a kind: ${sampleKinds.join(', ')}`);
      const kind = sampleKinds.find((known) => known === word);
      if (!kind) throw usage(`Unknown sample: ${word}. The samples are ${sampleKinds.join(', ')}.`);
      const dims = sampleDims(needed(name, 'size', text(values, 'size')));
      const type = oneOf(values, 'type', ['u8', 'u16'], 'u8');
      const seed = wholeNumber('seed', text(values, 'seed') ?? '1', 2 ** 32 - 1);
      return { name, kind, dims, type, seed, output: needed(name, 'output', output), ...device(), ...talk };
    }
    case 'bench': {
      const [word = 'codecs', ...inputs] = positionals;
      const task = [...suiteNames, 'tune' as const, 'compare' as const].find((known) => known === word);
      if (!task)
        throw usage(`Unknown suite: ${word}. The suites are ${suiteNames.join(', ')}; \`tune\` and \`compare\` also go here.`);
      if (task === 'compare' && inputs.length !== 2)
        throw usage('bench compare needs two results: `stria bench compare a.json b.json`');
      const takesSamples = task === 'codecs' || task === 'compress';
      const unknown = takesSamples ? inputs.find((input) => !sampleKinds.some((kind) => kind === input)) : inputs[0];
      if (takesSamples && unknown !== undefined)
        throw usage(`Unknown sample: ${unknown}. The samples are ${sampleKinds.join(', ')}.`);
      if (task !== 'compare' && task !== 'files' && unknown !== undefined)
        throw usage(`the suite ${task} takes no files; got '${unknown}'`);
      const wanted = text(values, 'size');
      const size = wanted === undefined ? undefined : wholeNumber('size', wanted, 2048);
      if (size !== undefined && size < 8) throw usage('--size: a side must be at least 8');
      const type = oneOf(values, 'type', ['u8', 'u16'], 'u8');
      const names = codecs.map((definition) => definition.name);
      const ways = ['auto', ...names];
      const chosen = values.codec === undefined ? ways : [oneOf(values, 'codec', ways, 'auto')];
      return { name, task, inputs, size, type, codecs: chosen, output, ...device(), ...talk };
    }
    case 'gpu':
      if (positionals.length > 0) throw usage(`gpu takes no arguments; got '${positionals[0]}'`);
      return { name, ...talk };
  }
}

function threadCount(values: Values): number | undefined {
  const given = text(values, 'threads');
  if (given === undefined) return undefined;
  const count = wholeNumber('threads', given, maxThreads);
  if (count < 1) throw usage(`--threads must be from 1 to ${maxThreads}`);
  return count;
}

function timeGroup(values: Values): number | undefined {
  const given = text(values, 'time-group');
  if (given === undefined) return undefined;
  const count = wholeNumber('time-group', given, maxTimeGroup);
  if (count < 1) throw usage(`--time-group must be from 1 to ${maxTimeGroup}`);
  return count;
}

function rawLayout(values: Values): RawLayout | undefined {
  const [dims, type] = [text(values, 'dims'), text(values, 'type')];
  if (dims === undefined && type === undefined) {
    const stray = (['endian', 'offset'] as const).find((option) => values[option] !== undefined);
    if (stray) throw usage(`--${stray} describes a raw file and needs --dims and --type`);
    return undefined;
  }
  if (dims === undefined) throw usage('--type describes a raw file and needs --dims X,Y,Z');
  if (type === undefined) throw usage(`--dims describes a raw file and needs --type (${elementTypes.join(' ')})`);
  return {
    dims: rawDims(dims),
    type: oneOf(values, 'type', elementTypes, 'u8'),
    endian: oneOf(values, 'endian', ['little', 'big'], 'little'),
    offset: wholeNumber('offset', text(values, 'offset') ?? '0', Number.MAX_SAFE_INTEGER),
  };
}

function codecOptions(values: Values): Pick<CompressCommand, 'codec' | 'axis' | 'prefer' | 'effort'> {
  return {
    codec: oneOf(values, 'codec', ['auto', ...chainNames()], 'auto'),
    axis: oneOf(values, 'axis', ['x', 'y', 'z', 'auto'], 'auto'),
    prefer: oneOf(values, 'prefer', preferences, 'balanced'),
    effort: oneOf(values, 'effort', ['normal', 'max'], 'normal'),
  };
}

function mergeCommand(
  values: Values,
  command: Omit<MergeCommand, 'by' | 'type' | 'codec' | 'axis' | 'prefer' | 'effort'>,
): MergeCommand {
  const by = values.by === undefined ? undefined : oneOf(values, 'by', combineRules, 'sum');
  const stray = (['type', 'codec', 'prefer', 'axis', 'effort'] as const).find((option) => values[option] !== undefined);
  if (by === undefined && stray) throw usage(`--${stray} needs --by: parts are copied as they are`);
  const type = values.type === undefined ? undefined : oneOf(values, 'type', elementTypes, 'u8');
  return { ...command, by, type, ...codecOptions(values) };
}

function partChoice(values: Values, inputs: readonly string[]): PartChoice | undefined {
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
function shareOf(value: string): PartChoice {
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

function boxOf(values: Values): StatsCommand['box'] {
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

function pictureMemory(values: Values): number | undefined {
  const value = text(values, 'picture-memory');
  return value === undefined ? undefined : wholeNumber('picture-memory', value, 2 ** 24) * 2 ** 20;
}

function rawDims(value: string): Dims4 {
  const [x, y, z, t = 1, ...more] = value.split(',').map((part) => side('dims', part));
  if (x === undefined || y === undefined || z === undefined || more.length > 0) {
    throw usage(`--dims takes three or four lengths, such as 512,512,300; got '${value}'`);
  }
  return [x, y, z, t];
}

function sampleDims(value: string): Dims3 {
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

function wholeNumber(option: OptionName, value: string, maximum: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= maximum)) throw usage(`--${option} takes a whole number from 0 to ${maximum}; got '${value}'`);
  return number;
}

function oneOf<const T extends string>(values: Values, option: OptionName, choices: readonly T[], fallback: T): T {
  const value = text(values, option);
  if (value === undefined) return fallback;
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw usage(`--${option} must be one of ${choices.join(', ')}; got '${value}'`);
  return choice;
}

function text(values: Values, option: OptionName): string | undefined {
  const value = values[option];
  if (value === '') throw usage(`--${option} is empty`);
  return typeof value === 'string' ? value : undefined;
}

function needed(name: CommandName, option: OptionName, value: string | undefined): string {
  if (value === undefined) {
    const { short } = optionEntry(option);
    throw usage(`${name} needs ${short ? `-${short} or ` : ''}--${option}; see \`stria ${name} --help\``);
  }
  return value;
}

function only(name: CommandName, positionals: readonly string[], what = 'one input'): string {
  const [first, second] = positionals;
  if (first === undefined) throw usage(`${name} needs ${what}; see \`stria ${name} --help\``);
  if (second !== undefined) throw usage(`${name} takes ${what}; '${second}' is one too many`);
  return first;
}

function usage(message: string): StriaError {
  return new StriaError('invalid-input', message);
}
