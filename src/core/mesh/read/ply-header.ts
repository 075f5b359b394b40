import { StriaError } from '../../shared/errors.ts';

export interface PlyProperty {
  readonly name: string;
  readonly type: 'i8' | 'u8' | 'i16' | 'u16' | 'i32' | 'u32' | 'f32' | 'f64';
  /** Of a list: the type of its length. */
  readonly length?: PlyProperty['type'];
}

export interface PlyElement {
  readonly name: string;
  readonly count: number;
  readonly properties: readonly PlyProperty[];
}

export interface PlyHeader {
  readonly format: 'ascii' | 'binary_little_endian' | 'binary_big_endian';
  readonly elements: readonly PlyElement[];
  readonly text: string;
  /** Where the values begin. */
  readonly end: number;
}

const types: Readonly<Record<string, PlyProperty['type']>> = {
  char: 'i8',
  int8: 'i8',
  uchar: 'u8',
  uint8: 'u8',
  short: 'i16',
  int16: 'i16',
  ushort: 'u16',
  uint16: 'u16',
  int: 'i32',
  int32: 'i32',
  uint: 'u32',
  uint32: 'u32',
  float: 'f32',
  float32: 'f32',
  double: 'f64',
  float64: 'f64',
};

const mostHeaderBytes = 2 ** 16;

/** Source: Turk, The PLY Polygon File Format. @throws StriaError `corrupt`, `unsupported` */
export function readPlyHeader(bytes: Uint8Array): PlyHeader {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, mostHeaderBytes));
  const last = /(^|[\r\n])end_header[ \t]*(\r\n|\n|\r)/.exec(head);
  if (!head.startsWith('ply') || !last) throw new StriaError('corrupt', 'the PLY file has no whole header: it is damaged');
  const end = last.index + last[0].length;
  const text = head.slice(0, end);
  let format: PlyHeader['format'] | undefined;
  const elements: (PlyElement & { readonly properties: PlyProperty[] })[] = [];
  for (const line of text.split(/[\r\n]+/)) {
    const [key, ...words] = line.trim().split(/\s+/);
    if (key === 'format') format = formatOf(words[0]);
    if (key === 'element') {
      const count = /^\d{1,15}$/.test(words[1] ?? '') ? Number(words[1]) : Number.NaN;
      if (Number.isNaN(count)) throw strange(line);
      elements.push({ name: words[0] as string, count, properties: [] });
    }
    if (key === 'property') {
      const properties = elements.at(-1)?.properties;
      if (!properties) throw strange(line);
      const isList = words[0] === 'list';
      const name = words[isList ? 3 : 1];
      if (name === undefined) throw strange(line);
      const type = typeOf(words[isList ? 2 : 0], line);
      properties.push(isList ? { name, type, length: typeOf(words[1], line) } : { name, type });
    }
  }
  if (!format) throw new StriaError('corrupt', 'the header of the PLY file does not say its format: it is damaged');
  // Counts of elements without properties cost no bytes, and would never end.
  return { format, elements: elements.filter(({ properties }) => properties.length > 0), text, end };
}

function formatOf(word = ''): PlyHeader['format'] {
  if (word === 'ascii' || word === 'binary_little_endian' || word === 'binary_big_endian') return word;
  throw new StriaError(
    'unsupported',
    `PLY files of the format ${JSON.stringify(word.slice(0, 40))} are not supported. Save it as binary PLY`,
  );
}

function typeOf(word: string | undefined, line: string): PlyProperty['type'] {
  const type = word !== undefined && Object.hasOwn(types, word) ? types[word] : undefined;
  if (!type) throw strange(line);
  return type;
}

function strange(line: string): StriaError {
  return new StriaError(
    'corrupt',
    `the header of the PLY file has a line that is not understood: ${JSON.stringify(line.slice(0, 80))}`,
  );
}
