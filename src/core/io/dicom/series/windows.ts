import type { FileWindow } from '../../../shared/volume-facts.ts';
import type { DataSet } from '../parse/elements.ts';
import { decoderOf, itemsOf, namedText, numbersOf, textOf } from '../parse/values.ts';

/** The display windows of a data set, or of the first frame of an enhanced one. */
export function windowsOf(dataSet: DataSet): FileWindow[] {
  const shared = itemsOf(itemsOf(dataSet, 0x52009229)[0], 0x00289132)[0];
  const ofFrame = itemsOf(itemsOf(dataSet, 0x52009230)[0], 0x00289132)[0];
  const set = [dataSet, shared, ofFrame].find((candidate) => candidate?.elements.has(0x00281050));
  if (set === undefined) return [];
  const centers = numbersOf(set, 0x00281050);
  const widths = numbersOf(set, 0x00281051);
  const names = namedText(set, 0x00281055, decoderOf(dataSet)).split('\\');
  // PS3.3, C.11.2.1.2: the plain function assigns the first and last gray to whole values.
  const isPlain = textOf(set, 0x00281056) !== 'LINEAR_EXACT' && textOf(set, 0x00281056) !== 'SIGMOID';
  return centers.flatMap((center, index): FileWindow[] => {
    const width = widths[index] ?? Number.NaN;
    if (!Number.isFinite(center) || !(width > 0) || !Number.isFinite(width)) return [];
    const middle = isPlain ? center - 0.5 : center;
    const half = isPlain ? (width - 1) / 2 : width / 2;
    return half > 0 ? [{ name: names[index]?.trim() ?? '', low: middle - half, high: middle + half }] : [];
  });
}
