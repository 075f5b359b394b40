import type { EncodeChoice } from '../../core/chunks/backend.ts';
import { choiceByName } from '../../core/codecs/registry.ts';
import type { CodecSelection } from '../arguments/parsed-command.ts';

/** The codec and the options that a command's arguments ask for. */
export function encodeChoice({ codec, axis, prefer, effort }: CodecSelection): EncodeChoice {
  return { codec: choiceByName(codec), options: { axis, prefer, effort } };
}
