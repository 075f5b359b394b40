import { type ParseArgsConfig, parseArgs } from 'node:util';
import { sampleKinds, sampleTypes } from '../../core/samples/sample-kinds.ts';
import { combineRules } from '../../core/shared/combine-rule.ts';
import { writableFormats } from '../../core/shared/source.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { elementTypes } from '../../core/shared/volume.ts';
import { benchOptions } from './bench-options.ts';
import { type CommandName, commandEntry, commandNames } from './command-table.ts';
import { depositOptions } from './deposit-options.ts';
import { meshOptions } from './mesh-options.ts';
import { optionEntry, options } from './option-table.ts';
import {
  boxOf,
  codecOptions,
  labelOptions,
  needed,
  type OptionValues,
  oneOf,
  only,
  partChoice,
  pictureMemory,
  rawLayout,
  sampleDims,
  text,
  threadCount,
  timeGroup,
  usage,
  wholeNumber,
} from './option-values.ts';
import type { CodecSelection, DeviceOptions, MergeCommand, ParsedCommand } from './parsed-command.ts';
import { movieWay, viewOptions } from './view-values.ts';

/**
 * Parses the command line.
 * @param argv the arguments without `node` and the script
 * @throws StriaError `invalid-input`, with a message that says how to correct the command
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

function parseOptions(name: CommandName, args: readonly string[]): { values: OptionValues; positionals: string[] } {
  const config: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of commandEntry(name).options) {
    const { short, value } = optionEntry(option);
    config[option] = { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) };
  }
  try {
    // `--tags` alone becomes `--tags=`: an optional value is never the next word.
    const words = joinNegative(args).map((word) => (isOptional(word) ? `${word}=` : word));
    return parseArgs({ args: words, options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(`${parserWords(error)}; see \`stria ${name} --help\``);
  }
}

/** The parser's message on one line, without its advice on inputs that begin with a minus sign. */
function parserWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replace(/\. To specify a positional argument.*$/s, '')
    .replace(/\s*\n/g, ' ')
    .replace(/\.$/, '');
}

/** Options whose values may start with a minus sign. The parser would take such a value for an option. */
const signed: readonly string[] = ['--box', '--window', '--level', '--from', '--degrees'];

/** `--window -160,240` as `--window=-160,240`. */
function joinNegative(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const words: string[] = [];
  for (const [at, word] of args.entries()) {
    const before = args[at - 1];
    const isValue = before !== undefined && signed.includes(before) && /^-[\d.]/.test(word) && (end < 0 || at < end);
    if (isValue) words.push(`${words.pop()}=${word}`);
    else words.push(word);
  }
  return words;
}

function isOptional(word: string): boolean {
  return (
    word.startsWith('--') && Object.entries(options).some(([name, entry]) => word === `--${name}` && 'isValueOptional' in entry)
  );
}

function build(name: CommandName, values: OptionValues, positionals: readonly string[]): ParsedCommand {
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
        levels: levelChoice(values),
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
        ...labelOptions(values),
        box: boxOf(values),
        output,
        raw: rawLayout(values),
        dataset: text(values, 'dataset'),
        axes: text(values, 'axes'),
        ...device(),
        ...talk,
      };
    case 'picture':
      return {
        name,
        input: only(name, positionals),
        output: needed(name, 'output', output),
        ...viewOptions(values),
        ...device(),
        ...talk,
      };
    case 'movie': {
      const view = viewOptions(values);
      return {
        name,
        input: only(name, positionals),
        output: needed(name, 'output', output),
        force,
        ...view,
        ...movieWay(values, view),
        ...device(),
        ...talk,
      };
    }
    case 'mesh':
      return { ...meshOptions(values, only(name, positionals), needed(name, 'output', output)), ...device(), ...talk };
    case 'merge':
      if (positionals.length === 0) throw usage('merge needs the parts, or a folder of them: `stria merge parts -o scan.stria`');
      return mergeCommand(values, { name, inputs: positionals, output: needed(name, 'output', output), ...device(), ...talk });
    case 'deposit':
      return { ...depositOptions(values, positionals, output), ...device(), ...talk };
    case 'levels': {
      const remove = values.remove === true;
      const stray = (['method', 'codec', 'prefer', 'axis', 'effort'] as const).find((option) => values[option] !== undefined);
      if (remove && stray) throw usage(`--${stray} is for making levels, but --remove removes them`);
      const method = values.method === undefined ? undefined : oneOf(values, 'method', halvingMethods, 'mean');
      const input = only(name, positionals);
      const source = { raw: rawLayout(values), dataset: text(values, 'dataset'), axes: text(values, 'axes') };
      return { name, input, output, remove, method, ...source, ...codecOptions(values), ...device(), ...talk };
    }
    case 'recover':
      return { name, input: only(name, positionals), output: needed(name, 'output', output), fill, ...talk };
    case 'serve': {
      const port = text(values, 'port');
      return {
        name,
        folder: only(name, positionals, 'a folder'),
        host: text(values, 'host') ?? '127.0.0.1',
        port: port === undefined ? undefined : wholeNumber('port', port, 65_535),
        app: text(values, 'app'),
        open: values.open === true,
        ...talk,
      };
    }
    case 'sample': {
      const word = only(name, positionals, `a kind: ${sampleKinds.join(', ')}`);
      const kind = sampleKinds.find((known) => known === word);
      if (!kind) throw usage(`Unknown sample: ${word}. The samples are ${sampleKinds.join(', ')}.`);
      const dims = sampleDims(needed(name, 'size', text(values, 'size')));
      const type = oneOf(values, 'type', sampleTypes, 'u8');
      const seed = wholeNumber('seed', text(values, 'seed') ?? '1', 2 ** 32 - 1);
      return { name, kind, dims, type, seed, output: needed(name, 'output', output), ...device(), ...talk };
    }
    case 'bench':
      return { ...benchOptions(values, positionals), output, ...device(), ...talk };
    case 'gpu':
      if (positionals.length > 0) throw usage(`gpu takes no arguments; got '${positionals[0]}'`);
      return { name, ...talk };
  }
}

function mergeCommand(
  values: OptionValues,
  command: Omit<MergeCommand, 'by' | 'type' | 'levels' | keyof CodecSelection>,
): MergeCommand {
  const by = values.by === undefined ? undefined : oneOf(values, 'by', combineRules, 'sum');
  const levels = levelChoice(values);
  if (by !== undefined && levels) throw usage('--by makes no levels; add them with `stria levels`');
  // Codec options are allowed without --by: large volumes get levels by default.
  if (by === undefined && values.type !== undefined) throw usage('--type needs --by: parts are copied as they are');
  const type = values.type === undefined ? undefined : oneOf(values, 'type', elementTypes, 'u8');
  return { ...command, by, type, levels, ...codecOptions(values) };
}

const halvingMethods = ['mean', 'mode'] as const;

function levelChoice(values: OptionValues): MergeCommand['levels'] {
  const isOff = values['no-levels'] === true;
  if (values.levels === undefined) return isOff ? false : undefined;
  if (isOff) throw usage('--levels and --no-levels exclude each other');
  return values.levels === '' ? true : oneOf(values, 'levels', halvingMethods, 'mean');
}
