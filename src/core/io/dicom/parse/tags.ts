import type { VolumeTag } from '../../../shared/volume-facts.ts';
import { nameOf } from './dictionary.ts';
import { type DataSet, type Element, tagText } from './elements.ts';
import type { DicomHeader } from './header.ts';
import { isPersonal } from './personal.ts';
import { decoderOf, numbersOf, valueBytes } from './values.ts';

/** The limit for the list, which is for people. Thousands of frames repeat the same tags. */
const maxTags = 5000;
const maxText = 1000;
const maxShownNumbers = 64;

const binaryVrs = new Set(['OB', 'OW', 'OD', 'OF', 'OL', 'OV', 'UN']);
const numberVrs = new Set(['US', 'SS', 'UL', 'SL', 'FL', 'FD', 'SV', 'UV']);

/** All elements before the pixels. Those in sequences have a path: `(0008,1140)[1](0008,1155)`. */
export function tagsOf({ meta, dataSet }: DicomHeader): VolumeTag[] {
  const tags: VolumeTag[] = [];
  const decoder = decoderOf(dataSet);
  addTags(tags, meta, '', false, decoder);
  addTags(tags, dataSet, '', false, decoder);
  return tags;
}

function addTags(tags: VolumeTag[], set: DataSet, way: string, isInPersonal: boolean, decoder: TextDecoder): void {
  for (const element of set.elements.values()) {
    if (tags.length >= maxTags) return;
    const id = `${way}${tagText(element.tag)}`;
    const personal = isInPersonal || isPersonal(element.tag);
    const name = nameOf(element.tag);
    if (element.items === undefined) {
      tags.push({ id, name, value: valueText(set, element, decoder), isPersonal: personal });
      continue;
    }
    const count = element.items.length;
    tags.push({ id, name, value: count === 1 ? '1 item' : `${count} items`, isPersonal: personal });
    for (const [index, item] of element.items.entries()) addTags(tags, item, `${id}[${index + 1}]`, personal, decoder);
  }
}

function valueText(set: DataSet, element: Element, decoder: TextDecoder): string {
  const length = element.valueEnd - element.valueStart;
  if (numberVrs.has(element.vr)) {
    const numbers = numbersOf(set, element.tag);
    const shown = numbers.slice(0, maxShownNumbers).map((number) => String(Number(number.toPrecision(9))));
    return numbers.length > maxShownNumbers ? `${shown.join(' \\ ')} … (${numbers.length} numbers)` : shown.join(' \\ ');
  }
  if (element.vr === 'AT') return numbersOf(set, element.tag).slice(0, maxShownNumbers).map(tagText).join(' \\ ');
  const bytes = valueBytes(set, element);
  if (binaryVrs.has(element.vr) && !(element.vr === 'UN' && isPlainText(bytes)))
    return length === 1 ? '1 byte' : `${length} bytes`;
  const text = decoder.decode(bytes.subarray(0, 4 * maxText)).replace(/^ +|[ \0]+$/g, '');
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

function isPlainText(bytes: Uint8Array): boolean {
  return (
    bytes.byteLength <= 256 &&
    bytes.every((byte, index) => (byte >= 0x20 && byte < 0x7f) || (byte === 0 && index === bytes.byteLength - 1))
  );
}
