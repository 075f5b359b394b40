import { StriaError } from '../../shared/errors.ts';
import { latin1, withReplacements } from '../common/text-header.ts';

/** Longer headers are taken for broken files. A thousand gradient directions need a few hundred KiB. */
export const nrrdHeaderLimit = 4 * 2 ** 20;

/** Fields describe at most four axes. Only key/value pairs may be long. */
const fieldLimit = 4096;

/** A NRRD header split into its fields, not yet interpreted. Source: http://teem.sourceforge.net/nrrd/format.html */
export interface NrrdText {
  /** The header's bytes, including the empty line that ends it, verbatim. */
  readonly bytes: Uint8Array;
  /** By the field's name in lower case without spaces: `datafile`, `byteskip`. */
  readonly fields: ReadonlyMap<string, NrrdField>;
  /** `key:=value` pairs. */
  readonly pairs: ReadonlyMap<string, string>;
}

export interface NrrdField {
  readonly value: string;
  /** Offset of the value's bytes in the header. */
  readonly from: number;
  readonly to: number;
}

export function isNrrd(head: Uint8Array): boolean {
  return /^NRRD000[1-9]\r?\n/.test(latin1(head.subarray(0, 10)));
}

/**
 * Splits a header into its fields.
 * @param bytes the first `nrrdHeaderLimit` bytes of the file, fewer if it is shorter
 * @throws StriaError `corrupt`
 */
export function parseNrrdText(bytes: Uint8Array): NrrdText {
  if (!isNrrd(bytes)) throw new StriaError('corrupt', 'this is not a NRRD file: it does not begin with NRRD0001 to NRRD0009');
  const fields = new Map<string, NrrdField>();
  const pairs = new Map<string, string>();
  let at = bytes.indexOf(newline) + 1;
  for (let number = 2; at < bytes.byteLength; number++) {
    const found = bytes.indexOf(newline, at);
    const next = found < 0 ? bytes.byteLength : found + 1;
    const end = found < 0 ? next : bytes[found - 1] === carriageReturn ? found - 1 : found;
    if (end <= at && found >= 0) return { bytes: bytes.subarray(0, next), fields, pairs };
    readLine(bytes.subarray(at, end), at, number, fields, pairs);
    at = next;
  }
  // Only a header without voxels may end with its file.
  if (!fields.has('datafile')) throw new StriaError('corrupt', 'the NRRD header has no end: the empty line after it is missing');
  return { bytes, fields, pairs };
}

const newline = 0x0a;
const carriageReturn = 0x0d;

function readLine(
  line: Uint8Array,
  start: number,
  number: number,
  fields: Map<string, NrrdField>,
  pairs: Map<string, string>,
): void {
  // One character per byte, so that positions in the text are byte offsets.
  const text = latin1(line);
  if (text.startsWith('#')) return;
  const colon = text.indexOf(':');
  if (colon < 1)
    throw new StriaError('corrupt', `line ${number} of the NRRD header is not a field: ${JSON.stringify(text.slice(0, 60))}`);
  if (text[colon + 1] === '=') {
    pairs.set(text.slice(0, colon), text.slice(colon + 2));
    return;
  }
  const name = text.slice(0, colon).toLowerCase().replace(/\s/g, '');
  if (fields.has(name)) throw new StriaError('corrupt', `the NRRD header has the field '${text.slice(0, colon)}' twice`);
  const rest = text.slice(colon + 1);
  const from = colon + 1 + (rest.length - rest.trimStart().length);
  const to = Math.max(from, colon + 1 + rest.trimEnd().length);
  if (to - from > fieldLimit) {
    throw new StriaError('unsupported', `the field '${name}' of the NRRD header is longer than the limit of ${fieldLimit} bytes`);
  }
  fields.set(name, { value: utf8(line.subarray(from, to)), from: start + from, to: start + to });
  if (name === 'datafile' && /^LIST\b/.test(rest.trim())) {
    throw new StriaError('unsupported', 'the voxels are in a list of files; Stria reads NRRD with one data file');
  }
}

/** The header with the values of some fields replaced and every other byte unchanged. */
export function withFields(text: NrrdText, values: ReadonlyMap<string, string>): Uint8Array {
  const replaced = [...text.fields].filter(([name]) => values.has(name));
  return withReplacements(
    text.bytes,
    replaced.map(([name, { from, to }]) => ({ from, to, text: values.get(name) ?? '' })),
  );
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
