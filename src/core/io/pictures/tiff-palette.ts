import { toStriaError } from '../../shared/errors.ts';
import { hexColor, type LabelTable } from '../../shared/label-table.ts';
import type { SourceDescription } from '../../shared/source.ts';
import { parseStoredTags, tiffTags } from '../tiff/tiff-tags.ts';
import { parsePictureTable } from './picture-table.ts';

/** PhotometricInterpretation of pictures whose samples are indexes into ColorMap. */
export const palette = 3;

/**
 * The colours of a TIFF's palette, from its first picture's tags. Undefined if there are none. The samples stay indexes, so the colours are
 * those of labels. A broken description is left to restoring.
 */
export function tiffPalette({ format, parts }: SourceDescription): LabelTable | undefined {
  const table = format === 'tiff' ? parts[0]?.before : undefined;
  if (!table) return undefined;
  try {
    const tags = new Map(
      parseStoredTags(parsePictureTable(table).pages[0]?.extra ?? new Uint8Array()).map((tag) => [tag.tag, tag]),
    );
    const map = tags.get(tiffTags.colourMap);
    if (tags.get(tiffTags.photometric)?.values[0] !== palette || map?.type !== 3 || map.count % 3 !== 0) return undefined;
    const view = new DataView(map.values.buffer, map.values.byteOffset, map.values.byteLength);
    const count = map.count / 3;
    // All reds, then all greens, then all blues, of 16 bits each. Some old programs wrote numbers of 8 bits, which libtiff guesses in the same way.
    const at = (index: number) => view.getUint16(2 * index, true);
    const shift = Array.from({ length: map.count }, (_, index) => at(index)).every((value) => value < 256) ? 0 : 8;
    const part = (color: number, number: number) => at(color * count + number) >> shift;
    return Array.from({ length: count }, (_, number) => ({
      number,
      color: hexColor([part(0, number), part(1, number), part(2, number)]),
    }));
  } catch (error) {
    if (toStriaError(error).tag !== 'corrupt') throw error;
    return undefined;
  }
}
