import { StriaError } from '../shared/errors.ts';
import type { CodecDefinition } from './codec.ts';
import { raw } from './raw/index.ts';
import { rice } from './rice/index.ts';
import { rle } from './rle/index.ts';

/** Every codec that there is, in the order in which people are offered them. */
// biome-ignore format: one line a codec
export const codecs: readonly CodecDefinition[] = [
  rle,
  rice,
  raw,
];

/** @throws StriaError `invalid-input` for a name that no codec has */
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
