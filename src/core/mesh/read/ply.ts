import { StriaError } from '../../shared/errors.ts';
import type { Mesh } from '../mesh.ts';
import type { MeshInput } from './mesh-file.ts';
import { MeshMaker } from './mesh-maker.ts';
import { type PlyElement, type PlyHeader, type PlyProperty, readPlyHeader } from './ply-header.ts';
import { linesOf, lpsToRas, numberIn, saysLps } from './text-lines.ts';

/**
 * PLY as text and binary in both byte orders: the corners' x, y and z, and the faces, as triangles. Other properties and elements are
 * skipped. @throws StriaError `corrupt`, `unsupported`
 */
export function readPly({ bytes }: Pick<MeshInput, 'bytes'>): Mesh {
  const header = readPlyHeader(bytes);
  const maker = new MeshMaker();
  const values = header.format === 'ascii' ? new TextValues(bytes, header.end) : new BinaryValues(bytes, header);
  for (const element of header.elements) {
    const take = taker(element, maker);
    for (let at = 0; at < element.count; at++) take(values, at);
    if (maker.triangleCount > 0 && maker.cornerCount > 0) break;
  }
  return maker.finish(saysLps(header.text) ? lpsToRas : undefined);
}

interface Values {
  /** Begins the next one of an element. @throws StriaError `corrupt` at the end of the file */
  begin(element: PlyElement, at: number): void;
  number(type: PlyProperty['type']): number;
  skip(property: PlyProperty): void;
}

const mostListLength = 2 ** 16;

function taker(element: PlyElement, maker: MeshMaker): (values: Values, at: number) => void {
  const { name, properties } = element;
  if (name === 'vertex') {
    const places = ['x', 'y', 'z'].map((axis) => properties.findIndex((property) => property.name === axis && !property.length));
    if (places.includes(-1)) throw new StriaError('corrupt', 'the vertices of the PLY file have no x, y and z');
    const point: [number, number, number] = [0, 0, 0];
    return (values, at) => {
      values.begin(element, at);
      for (const [index, property] of properties.entries()) {
        const axis = places.indexOf(index);
        if (axis < 0) values.skip(property);
        else point[axis] = values.number(property.type);
      }
      maker.addCorner(...point);
    };
  }
  const list = properties.find(({ name: each, length }) => /^vertex_(indices|index)$/.test(each) && length);
  if (name !== 'face' || !list) {
    return (values, at) => {
      values.begin(element, at);
      for (const property of properties) values.skip(property);
    };
  }
  return (values, at) => {
    values.begin(element, at);
    for (const property of properties) {
      if (property === list) maker.addPolygon(listOf(values, property));
      else values.skip(property);
    }
  };
}

function listOf(values: Values, { length, type }: PlyProperty): number[] {
  const count = values.number(length as PlyProperty['type']);
  if (!Number.isInteger(count) || count < 0 || count > mostListLength)
    throw new StriaError('corrupt', `a face of the PLY file has ${count} corners: the file is damaged`);
  const corners: number[] = [];
  for (let at = 0; at < count; at++) corners.push(values.number(type));
  return corners;
}

function endsEarly({ name, count }: PlyElement, at: number): StriaError {
  return new StriaError('corrupt', `the PLY file ends early, at ${name} ${at + 1} of ${count}. Copy or save it again`);
}

/** One line for each vertex and face. */
class TextValues implements Values {
  readonly #lines: Generator<string>;
  #words: string[] = [];
  #word = 0;
  #what = '';

  constructor(bytes: Uint8Array, start: number) {
    this.#lines = linesOf(bytes, { start });
  }

  begin(element: PlyElement, at: number): void {
    const { value, done } = this.#lines.next();
    if (done) throw endsEarly(element, at);
    this.#words = value.split(/\s+/);
    this.#word = 0;
    this.#what = `${element.name} ${at + 1}`;
  }

  number(): number {
    return numberIn(this.#words[this.#word++], this.#what);
  }

  skip({ length }: PlyProperty): void {
    const count = length ? this.number() : 1;
    if (!Number.isInteger(count) || count < 0) throw new StriaError('corrupt', `${this.#what} has a list of ${count} values`);
    this.#word += count;
  }
}

const widths = { i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, u32: 4, f32: 4, f64: 8 } as const;

class BinaryValues implements Values {
  readonly #view: DataView;
  readonly #isLittle: boolean;
  #at: number;
  #element: PlyElement | undefined;
  #index = 0;

  constructor(bytes: Uint8Array, { end, format }: PlyHeader) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isLittle = format === 'binary_little_endian';
    this.#at = end;
  }

  begin(element: PlyElement, at: number): void {
    this.#element = element;
    this.#index = at;
    // An element without properties takes no bytes, so its count has no end.
    if (this.#at >= this.#view.byteLength) throw endsEarly(element, at);
  }

  number(type: PlyProperty['type']): number {
    const at = this.#step(widths[type]);
    const [view, isLittle] = [this.#view, this.#isLittle];
    if (type === 'f32') return view.getFloat32(at, isLittle);
    if (type === 'f64') return view.getFloat64(at, isLittle);
    if (type === 'i32') return view.getInt32(at, isLittle);
    if (type === 'u32') return view.getUint32(at, isLittle);
    if (type === 'i16') return view.getInt16(at, isLittle);
    if (type === 'u16') return view.getUint16(at, isLittle);
    return type === 'i8' ? view.getInt8(at) : view.getUint8(at);
  }

  skip({ type, length }: PlyProperty): void {
    const count = length ? this.number(length) : 1;
    if (!Number.isInteger(count) || count < 0) throw new StriaError('corrupt', `a list of the PLY file has ${count} values`);
    this.#step(widths[type] * count);
  }

  #step(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (this.#at > this.#view.byteLength) throw endsEarly(this.#element as PlyElement, this.#index);
    return at;
  }
}
