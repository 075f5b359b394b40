import type { CodecDefinition } from '../codec/codec.ts';
import { StriaError } from '../shared/errors.ts';
import { huffman } from './huffman/index.ts';
import { labels } from './labels/index.ts';
import { parle } from './parle/index.ts';
import { predict } from './predict/index.ts';
import { raw } from './raw/index.ts';
import { rice } from './rice/index.ts';
import { rle } from './rle/index.ts';
import { wave } from './wave/index.ts';

/** All codecs, in the order in which they are offered to users. */
// biome-ignore format: one line a codec
export const codecs: readonly CodecDefinition[] = [
  rle,
  rice,
  predict,
  huffman,
  labels,
  parle,
  wave,
  raw,
];

/** @throws StriaError `invalid-input` for an unknown name */
export function codecByName(name: string): CodecDefinition {
  const codec = codecs.find((one) => one.name === name);
  if (codec) return codec;
  throw new StriaError('invalid-input', `there is no codec '${name}'; there are ${codecs.map((one) => one.name).join(', ')}`);
}

/** @throws StriaError `unsupported` for an id that this version does not know */
export function codecById(id: number): CodecDefinition {
  const codec = codecs.find((one) => one.id === id);
  if (codec) return codec;
  throw new StriaError('unsupported', `codec ${id} is not known to this version of Stria; a newer one may read it`);
}

/**
 * One or two codecs: the first encodes voxels, the second the first one's payloads. Only a codec with `decodedLength` can be
 * the second.
 */
export type CodecChain = readonly [CodecDefinition] | readonly [CodecDefinition, CodecDefinition];

/** `rle+huffman`. */
export function chainName(chain: CodecChain): string {
  return chain.map(({ name }) => name).join('+');
}

/** @throws StriaError `invalid-input` for an unknown name, and for codecs that cannot be chained */
export function chainByName(name: string): CodecChain {
  const [first, second, ...more] = name.split('+').map(codecByName) as [CodecDefinition, ...CodecDefinition[]];
  if (!second) return [first];
  if (more.length === 0 && mayFollow(second, first)) return [first, second];
  throw new StriaError('invalid-input', `codecs do not go together as '${name}'; there are ${chainNames().join(', ')}`);
}

/** Looks up the user's choice: `auto`, or a name for `chainByName`. */
export function choiceByName(name: string): CodecChain | 'auto' {
  return name === 'auto' ? name : chainByName(name);
}

/** The names of all codecs and of all pairs that can be chained. */
export function chainNames(): string[] {
  const pairs = codecs.flatMap((first) =>
    codecs.filter((second) => mayFollow(second, first)).map((second) => chainName([first, second])),
  );
  return [...codecs.map(({ name }) => name), ...pairs];
}

/** A second-stage codec gains nothing after another one of its kind. */
function mayFollow(second: CodecDefinition, first: CodecDefinition): boolean {
  return second.decodedLength !== undefined && first.decodedLength === undefined && !first.standsAlone;
}
