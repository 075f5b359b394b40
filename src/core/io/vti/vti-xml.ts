import { SaxesParser } from 'saxes';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { ByteStream } from '../common/byte-stream.ts';

type Attributes = Readonly<Record<string, string>>;

/** An array of values, as its element describes it. */
export interface VtiArray {
  readonly attributes: Attributes;
  /** Whether the values belong to cells, which are between points. */
  readonly isOfCells: boolean;
  /** The byte offset of the text between its tags. */
  readonly contentAt: number;
}

/** The content of a file's markup, up to its values. */
export interface VtiMarkup {
  readonly file: Attributes;
  readonly image: Attributes;
  readonly piece: Attributes;
  /** The arrays of points and of cells, in the file's order: at least one. */
  readonly arrays: readonly VtiArray[];
  /** The arrays that the file calls active. Usually one, or none. */
  readonly active: readonly VtiArray[];
  /** The encoding of appended data, and the offset of the byte after its underscore. */
  readonly appended: { readonly encoding: string; readonly at: number } | undefined;
}

/** A file with more markup, not counting values, is probably broken. */
const markupLimit = 2 ** 20;
const [lessThan, greaterThan, underscore] = [0x3c, 0x3e, 0x5f];

/** Reads the markup, and skips inline values. Of appended values nothing is read. @throws StriaError `corrupt`, `unsupported` */
export async function readVtiMarkup(stream: ByteStream, options: JobOptions): Promise<VtiMarkup> {
  const reader = new MarkupReader();
  let at = 0;
  let isText = false;
  for await (const piece of stream.pieces(0, options)) {
    for (let from = 0; from < piece.byteLength && !reader.isDone; ) {
      const end = reader.isAppended ? underscore : isText ? lessThan : greaterThan;
      const found = piece.indexOf(end, from);
      const to = found < 0 ? piece.byteLength : end === lessThan ? found : found + 1;
      if (!(isText && reader.isInArray)) reader.write(piece.subarray(from, to), at + to);
      if (found >= 0) isText = !isText;
      from = to;
    }
    at += piece.byteLength;
    if (reader.isDone) break;
  }
  return reader.markup();
}

class MarkupReader {
  readonly #parser = new SaxesParser();
  readonly #path: string[] = [];
  #file: Attributes | undefined;
  #image: Attributes | undefined;
  #pieces: Attributes[] = [];
  #scalars = '';
  readonly #arrays: VtiArray[] = [];
  readonly #active: VtiArray[] = [];
  #appended: { encoding: string; at: number } | undefined;
  #length = 0;
  #end = 0;
  isAppended = false;
  isDone = false;

  constructor() {
    this.#parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes));
    this.#parser.on('closetag', ({ name }) => {
      this.#path.pop();
      if (name === 'VTKFile') this.isDone = true;
    });
    this.#parser.on('error', (error) => {
      throw new StriaError('corrupt', `the XML of the VTK file is broken: ${error.message.slice(0, 200)}`, { cause: error });
    });
  }

  get isInArray(): boolean {
    return this.#path.at(-1) === 'DataArray';
  }

  /** @param end the file offset of the end of these bytes */
  write(bytes: Uint8Array, end: number): void {
    this.#length += bytes.byteLength;
    this.#end = end;
    if (this.#length > markupLimit) throw new StriaError('unsupported', 'the markup of the VTK file is longer than 1 MiB');
    if (this.isAppended) {
      if (bytes.at(-1) !== underscore) return;
      this.#appended = { encoding: this.#appended?.encoding ?? '', at: end };
      this.isDone = true;
      return;
    }
    // One character per byte. Only names could have other characters, and they do not matter.
    this.#parser.write(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  }

  markup(): VtiMarkup {
    const [piece] = this.#pieces;
    if (!this.#file) throw new StriaError('corrupt', 'this is not a VTK file: it has no VTKFile element');
    if (!this.#image || !piece) throw new StriaError('corrupt', 'the VTK file has no piece of an image');
    if (this.#arrays.length === 0) throw new StriaError('unsupported', 'the VTK image has no values for points or cells');
    return {
      file: this.#file,
      image: this.#image,
      piece,
      arrays: this.#arrays,
      active: this.#active,
      appended: this.#appended,
    };
  }

  #open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1);
    this.#path.push(name);
    if (this.#path.length > 100) throw new StriaError('corrupt', 'the XML of the VTK file is nested too deeply');
    if (name === 'VTKFile') {
      if (attributes.type !== 'ImageData') {
        throw new StriaError(
          'unsupported',
          `VTK files of ${(attributes.type ?? '').slice(0, 60)} are not supported: Stria reads ImageData`,
        );
      }
      this.#file = attributes;
    } else if (name === 'ImageData') this.#image = attributes;
    else if (name === 'Piece') {
      this.#pieces.push(attributes);
      if (this.#pieces.length > 1) throw new StriaError('unsupported', 'a VTK image in several pieces is not supported');
    } else if (name === 'PointData' || name === 'CellData') {
      this.#scalars = attributes.Scalars ?? '';
    } else if (name === 'DataArray' && (parent === 'PointData' || parent === 'CellData')) {
      const array = { attributes, isOfCells: parent === 'CellData', contentAt: this.#end };
      this.#arrays.push(array);
      if (this.#scalars !== '' && attributes.Name === this.#scalars) this.#active.push(array);
    } else if (name === 'AppendedData') {
      this.isAppended = true;
      this.#appended = { encoding: attributes.encoding ?? 'raw', at: 0 };
    }
  }
}
