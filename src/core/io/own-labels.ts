import type { LabelTable, OwnLabels } from '../shared/label-table.ts';
import type { SourceDescription } from '../shared/source.ts';
import { parseLabelTable } from './label-tables/read-label-table.ts';
import { labelIntent, niftiExtras } from './nifti/nifti-extensions.ts';
import { tiffPalette } from './pictures/tiff-palette.ts';

/** Extensions of NIfTI in which programs keep label tables: AFNI, Caret, CIFTI. */
const tableCodes: readonly number[] = [4, 30, 32];

/**
 * What a file says about labels, also if it is restored from a container: the intent of NIfTI and the tables in its extensions, and the
 * palette of a TIFF. A broken table is left out, because the voxels can be read without it.
 */
export function ownLabels(source: SourceDescription): OwnLabels {
  const { format, endian, parts } = source;
  const palette = tiffPalette(source);
  if (palette) return { table: palette };
  const [first] = parts;
  const extras = format === 'nifti' && first ? niftiExtras(first.before, endian) : undefined;
  if (!extras) return {};
  const table = extras.extensions.filter(({ code }) => tableCodes.includes(code)).map(({ bytes }) => tableIn(bytes));
  return { areLabels: extras.intent === labelIntent, table: table.find(({ length }) => length > 0) };
}

function tableIn(bytes: Uint8Array): LabelTable {
  // Extensions are padded with zeros.
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  try {
    return parseLabelTable(bytes.subarray(0, end));
  } catch {
    return [];
  }
}
