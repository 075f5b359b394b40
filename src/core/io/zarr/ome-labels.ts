import {
  hexColor,
  isLabelNumber,
  type LabelEntry,
  longestLabelName,
  mergedTable,
  mostLabels,
  type OwnLabels,
} from '../../shared/label-table.ts';
import { objectOf } from './array-metadata.ts';
import { listOf, omeOf } from './ome-metadata.ts';

/** The keys under which properties may hold a label's name. The first existing one is used. */
const nameKeys = ['name', 'class', 'label', 'acronym'];

/** The labels that OME's `image-label` describes: its colours and properties. Skips what violates its specification. */
export function omeLabels(attributes: Readonly<Record<string, unknown>>): OwnLabels {
  const image = objectOf(omeOf(attributes)['image-label'] ?? attributes['image-label']);
  if (!image) return {};
  const entries = (list: unknown, facts: (item: Readonly<Record<string, unknown>>) => Omit<LabelEntry, 'number'>) =>
    listOf(list)
      .slice(0, mostLabels)
      .flatMap((item): LabelEntry[] => {
        const number = item['label-value'];
        return typeof number === 'number' && isLabelNumber(number) ? [{ number, ...facts(item) }] : [];
      });
  const colors = entries(image.colors, ({ rgba }) => ({
    color: Array.isArray(rgba) ? hexColor(rgba.slice(0, 3).map(Number)) : undefined,
  }));
  const names = entries(image.properties, (item) => {
    const name = nameKeys.map((key) => item[key]).find((value) => typeof value === 'string' && value !== '');
    return { name: (name as string | undefined)?.slice(0, longestLabelName) };
  });
  const table = mergedTable(colors, names).slice(0, mostLabels);
  return { areLabels: true, ...(table.length > 0 && { table }) };
}
