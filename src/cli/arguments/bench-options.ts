import { defaultRepetitions } from '../../core/bench/harness/result.ts';
import { suiteNames } from '../../core/bench/harness/tables.ts';
import { codecs } from '../../core/codecs/registry.ts';
import { sampleKinds, sampleTypes } from '../../core/samples/sample-kinds.ts';
import { type OptionValues, oneOf, text, usage, wholeNumber } from './option-values.ts';
import type { BenchCommand, DeviceOptions, TalkOptions } from './parsed-command.ts';

export function benchOptions(
  values: OptionValues,
  positionals: readonly string[],
): Omit<BenchCommand, 'output' | keyof (DeviceOptions & TalkOptions)> {
  const [word = 'codecs', ...inputs] = positionals;
  const task = [...suiteNames, 'tune' as const, 'compare' as const].find((known) => known === word);
  if (!task)
    throw usage(`Unknown suite: ${word}. The suites are ${suiteNames.join(', ')}; \`tune\` and \`compare\` also go here.`);
  if (task === 'compare' && inputs.length !== 2)
    throw usage('bench compare needs two results: `stria bench compare a.json b.json`');
  const takesSamples = task === 'codecs' || task === 'compress';
  const unknown = takesSamples ? inputs.find((input) => !sampleKinds.some((kind) => kind === input)) : inputs[0];
  const scan = task === 'codecs' && unknown !== undefined && /[./\\]/.test(unknown) ? unknown : undefined;
  if (scan !== undefined && inputs.length > 1)
    throw usage(`the suite codecs takes samples or one file; got ${inputs.join(', ')}`);
  if (scan !== undefined && values.type !== undefined) throw usage('--type is for samples; a file has a type of its own');
  if (takesSamples && unknown !== undefined && scan === undefined)
    throw usage(
      `Unknown sample: ${unknown}. The samples are ${sampleKinds.join(', ')}${task === 'codecs' ? '; a file’s name has a dot or a slash' : ''}.`,
    );
  if (task === 'bricks' && inputs.length > 1) throw usage(`the suite bricks takes one file; got ${inputs.length}`);
  if (task !== 'compare' && task !== 'files' && task !== 'bricks' && unknown !== scan)
    throw usage(`the suite ${task} takes no files; got '${unknown}'`);
  const wanted = text(values, 'size');
  const size = wanted === undefined ? undefined : wholeNumber('size', wanted, 2048);
  if (size !== undefined && size < 8) throw usage('--size: a side must be at least 8');
  const type = oneOf(values, 'type', sampleTypes, 'u8');
  const ways = ['auto', ...codecs.map((definition) => definition.name)];
  const chosen = values.codec === undefined ? ways : [oneOf(values, 'codec', ways, 'auto')];
  const wantedRepetitions = text(values, 'repetitions');
  if (wantedRepetitions !== undefined && ['tune', 'compare', 'playback', 'view'].includes(task))
    throw usage(`--repetitions is for suites that repeat each case, not for ${task}`);
  const repetitions = wholeNumber('repetitions', wantedRepetitions ?? String(defaultRepetitions), 1000);
  if (repetitions < 1) throw usage('--repetitions must be at least 1');
  const tools = text(values, 'tools')?.split(',');
  if (tools && task !== 'files') throw usage(`--tools is for \`stria bench files\`, not for ${task}`);
  const limit = text(values, 'limit');
  if (limit !== undefined && task !== 'files') throw usage(`--limit is for \`stria bench files\`, not for ${task}`);
  const limitSeconds = wholeNumber('limit', limit ?? '600', 86_400);
  if (limitSeconds < 1) throw usage('--limit must be at least 1 second');
  return {
    name: 'bench',
    task,
    inputs,
    scan,
    size,
    type,
    codecs: chosen,
    repetitions,
    tools,
    limitSeconds,
  };
}
