import type { ByteSource } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { LabelTable } from '../../shared/label-table.ts';
import { lineLabels } from './line-labels.ts';
import { isNiml, nimlLabels, xmlLabels } from './xml-labels.ts';

const mostBytes = 16 * 2 ** 20;

/**
 * The labels of a file in any of the formats of `lineLabels` and `xmlLabels`, by its content.
 * @throws StriaError `unsupported` if the file is not a label table or is too large; `corrupt`, `not-readable`, `aborted`
 */
export async function readLabelTable(source: ByteSource, job: JobOptions = {}): Promise<LabelTable> {
  try {
    if (source.size > mostBytes) throw new StriaError('unsupported', 'the label table is larger than 16 MiB');
    return parseLabelTable(await source.read(0, source.size, job));
  } catch (error) {
    throw inContext(source.name, error);
  }
}

/** @throws StriaError `unsupported`, `corrupt` */
export function parseLabelTable(bytes: Uint8Array): LabelTable {
  const text = decoded(bytes);
  const table = isNiml(text) ? nimlLabels(text) : /^\s*</.test(text) ? xmlLabels(text) : lineLabels(text);
  if (table.length > 0) return table;
  throw new StriaError(
    'unsupported',
    'this is not a label table that Stria knows: it reads CSV and TSV (number, name, color), colour tables of FreeSurfer, 3D Slicer and FSLeyes, label descriptions of ITK-SNAP, and label tables of GIFTI and AFNI',
  );
}

/** Decodes UTF-16 with a byte order mark, UTF-8, and anything else as Latin-1. */
function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}
