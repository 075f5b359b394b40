import { StriaError } from '../../shared/errors.ts';
import { latin1, withReplacements } from '../common/text-header.ts';

/** A file with a longer header is probably broken. */
export const mhaHeaderLimit = 4 * 2 ** 20;

/** A MetaImage header, split into fields but not interpreted. Source: itk.org/Wiki/MetaIO/Documentation */
export interface MhaText {
  /** The header's bytes, verbatim, to the end of its last line, `ElementDataFile`. */
  readonly bytes: Uint8Array;
  /** Keyed by the field's name in lower case: `dimsize`. */
  readonly fields: ReadonlyMap<string, MhaField>;
}

export interface MhaField {
  readonly value: string;
  /** The byte ranges of its line, including the line end, and of its value. */
  readonly line: readonly [from: number, to: number];
  readonly place: readonly [from: number, to: number];
}

/** The fields that may precede or replace `ObjectType`. */
const firstFields = /^(ObjectType|ObjectSubType|Comment|AcquisitionDate|NDims|ID|Name)\s*[=:]/;

export function isMetaImage(head: Uint8Array): boolean {
  const text = latin1(head);
  return firstFields.test(text) && (/^ObjectType\s*[=:]\s*Image\b/m.test(text) || /^NDims\s*[=:]/m.test(text));
}

const newline = 0x0a;

/**
 * Splits a header into its fields.
 * @param bytes the file's first `mhaHeaderLimit` bytes, or fewer if it is shorter
 * @throws StriaError `corrupt`
 */
export function parseMhaText(bytes: Uint8Array): MhaText {
  const fields = new Map<string, MhaField>();
  for (let at = 0; at < bytes.byteLength; ) {
    const found = bytes.indexOf(newline, at);
    const end = found < 0 ? bytes.byteLength : found + 1;
    // One character per byte, so that positions in the text are positions in the file.
    const text = latin1(bytes.subarray(at, end));
    const parts = /^\s*([A-Za-z_][\w.-]*)\s*[=:][ \t]*/.exec(text.slice(0, 4096));
    const name = parts?.[1]?.toLowerCase();
    if (parts === null || name === undefined) {
      if (text.trim() !== '') {
        throw new StriaError(
          'corrupt',
          `the MetaImage header has a line that is not a field: ${JSON.stringify(text.slice(0, 60))}`,
        );
      }
      at = end;
      continue;
    }
    if (fields.has(name)) throw new StriaError('corrupt', `the MetaImage header has the field '${parts[1]}' twice`);
    const from = at + parts[0].length;
    const to = Math.max(from, at + text.trimEnd().length);
    fields.set(name, { value: new TextDecoder().decode(bytes.subarray(from, to)), line: [at, end], place: [from, to] });
    at = end;
    if (name === 'elementdatafile') return { bytes: bytes.subarray(0, at), fields };
  }
  throw new StriaError('corrupt', "the MetaImage header has no end: the field 'ElementDataFile' is missing");
}

/** The header with some values replaced, or their lines omitted (undefined). All other bytes are unchanged. */
export function withMhaFields(text: MhaText, values: ReadonlyMap<string, string | undefined>): Uint8Array {
  const replaced = [...text.fields].filter(([name]) => values.has(name));
  return withReplacements(
    text.bytes,
    replaced.map(([name, { line, place }]) => {
      const value = values.get(name);
      const [from, to] = value === undefined ? line : place;
      return { from, to, text: value ?? '' };
    }),
  );
}
