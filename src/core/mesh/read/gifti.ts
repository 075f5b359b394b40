import { SaxesParser } from 'saxes';
import { base64Bytes } from '../../io/common/base64.ts';
import { inflateBounded } from '../../io/common/inflate-bounded.ts';
import { StriaError } from '../../shared/errors.ts';
import { isUsableTransform, type Transform } from '../../transforms/transform.ts';
import type { Mesh } from '../mesh.ts';
import { scannerMove } from './freesurfer.ts';
import type { MeshInput } from './mesh-file.ts';
import { MeshMaker } from './mesh-maker.ts';

type Attributes = Readonly<Record<string, string>>;

interface DataArray {
  readonly attributes: Attributes;
  readonly meta: Map<string, string>;
  readonly systems: { from: string; to: string; matrix: string }[];
  data: string;
}

const depthLimit = 32;
/** Compressed data can be a thousand times as large as the file. */
const mostRows = 2 ** 24;
const scanner = 'NIFTI_XFORM_SCANNER_ANAT';
const unknown = 'NIFTI_XFORM_UNKNOWN';
const widths: Readonly<Record<string, 1 | 4 | 8>> = {
  NIFTI_TYPE_UINT8: 1,
  NIFTI_TYPE_INT32: 4,
  NIFTI_TYPE_FLOAT32: 4,
  NIFTI_TYPE_FLOAT64: 8,
};

/**
 * The first surface of a GIFTI file: corners and triangles as base64, compressed or not, or as text. Its coordinates become those of the
 * scanner if the file says how: by a matrix, or by FreeSurfer's geometry of the volume.
 * Source: GIFTI Surface Data Format, version 1.0.
 * @throws StriaError `corrupt`, `unsupported`, `aborted`
 */
export async function readGifti({ bytes, signal }: Pick<MeshInput, 'bytes' | 'signal'>): Promise<Mesh> {
  const arrays = arraysOf(bytes);
  const points = arrays.find(({ attributes }) => attributes.Intent === 'NIFTI_INTENT_POINTSET');
  const faces = arrays.find(({ attributes }) => attributes.Intent === 'NIFTI_INTENT_TRIANGLE');
  if (!points || !faces)
    throw new StriaError(
      'unsupported',
      `the GIFTI file has no ${points ? 'triangles' : 'corners'}: it holds no surface, but data of one. Open the .surf.gii`,
    );
  const maker = new MeshMaker();
  const [corners, triangles] = [await numbersOf(points, signal), await numbersOf(faces, signal)];
  for (let at = 0; at < corners.count; at += 3)
    maker.addCorner(corners.number(at), corners.number(at + 1), corners.number(at + 2));
  for (let at = 0; at < triangles.count; at += 3)
    maker.addTriangle(triangles.number(at), triangles.number(at + 1), triangles.number(at + 2));
  return maker.finish(moveOf(points));
}

function arraysOf(bytes: Uint8Array): readonly DataArray[] {
  const arrays: DataArray[] = [];
  let text = '';
  let name = '';
  const path: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name: tag, attributes }) => {
    if (path.push(tag) > depthLimit) throw new StriaError('corrupt', 'the XML of the GIFTI file is nested too deeply');
    text = '';
    if (tag === 'DataArray') arrays.push({ attributes: attributes as Attributes, meta: new Map(), systems: [], data: '' });
    if (tag === 'CoordinateSystemTransformMatrix') arrays.at(-1)?.systems.push({ from: '', to: '', matrix: '' });
  });
  const add = (more: string) => {
    text += more;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', ({ name: tag }) => {
    path.pop();
    // What lies outside of an array is about the whole file.
    const array = path.includes('DataArray') ? arrays.at(-1) : undefined;
    const system = array?.systems.at(-1);
    if (tag === 'Name') name = text.trim();
    if (tag === 'Value' && array) array.meta.set(name, text.trim());
    if (tag === 'Data' && array) array.data = text;
    if (tag === 'DataSpace' && system) system.from = text.trim();
    if (tag === 'TransformedSpace' && system) system.to = text.trim();
    if (tag === 'MatrixData' && system) system.matrix = text;
    text = '';
  });
  parser.on('error', (error) => {
    throw new StriaError('corrupt', `the XML of the GIFTI file is broken: ${error.message.slice(0, 200)}`, { cause: error });
  });
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.byteLength; at += 2 ** 20)
    parser.write(decoder.decode(bytes.subarray(at, at + 2 ** 20), { stream: true }));
  parser.close();
  return arrays;
}

async function numbersOf(
  { attributes, data }: DataArray,
  signal: AbortSignal | undefined,
): Promise<{ readonly count: number; number(at: number): number }> {
  const { DataType = '', Encoding = '', Endian, Dim0 = '', Dim1, ArrayIndexingOrder } = attributes;
  const isRow = ArrayIndexingOrder !== 'ColumnMajorOrder';
  const rows = /^\d{1,9}$/.test(Dim0) ? Number(Dim0) : 0;
  if (Dim1 !== '3' || rows === 0)
    throw new StriaError(
      'corrupt',
      `an array of the GIFTI file has ${Dim0.slice(0, 20)} × ${Dim1?.slice(0, 20)} numbers, not rows of three`,
    );
  if (rows > mostRows)
    throw new StriaError(
      'unsupported',
      `GIFTI surfaces of more than ${mostRows} corners or triangles are not supported. Reduce the mesh`,
    );
  const width = Object.hasOwn(widths, DataType) ? widths[DataType] : undefined;
  if (!width) throw new StriaError('unsupported', `GIFTI data of type ${JSON.stringify(DataType.slice(0, 40))} is not supported`);
  const count = 3 * rows;
  const place = (at: number): number => (isRow ? at : (at % 3) * rows + Math.floor(at / 3));
  const tooFew = (there: number) =>
    new StriaError('corrupt', `the GIFTI file ends early: an array has ${there} of its ${count} numbers. Copy or save it again`);
  if (Encoding === 'ASCII') {
    const words = data.trim().split(/\s+/);
    if (words.length < count) throw tooFew(words.length);
    return { count, number: (at) => Number(words[place(at)]) };
  }
  if (Encoding !== 'Base64Binary' && Encoding !== 'GZipBase64Binary')
    throw new StriaError(
      'unsupported',
      `GIFTI data in the encoding ${JSON.stringify(Encoding.slice(0, 40))} is not supported, because it may lie in another file. Save it as GZipBase64Binary`,
    );
  const packed = base64Bytes(data);
  if (!packed) throw new StriaError('corrupt', 'an array of the GIFTI file is not base64: the file is damaged');
  const plain = Encoding === 'Base64Binary' ? packed : await inflateBounded(packed, 'deflate', count * width, signal);
  if (plain.byteLength < count * width) throw tooFew(Math.floor(plain.byteLength / width));
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  const isLittle = Endian !== 'BigEndian';
  const readers: Readonly<Record<string, (at: number) => number>> = {
    NIFTI_TYPE_UINT8: (at) => view.getUint8(at),
    NIFTI_TYPE_INT32: (at) => view.getInt32(4 * at, isLittle),
    NIFTI_TYPE_FLOAT32: (at) => view.getFloat32(4 * at, isLittle),
    NIFTI_TYPE_FLOAT64: (at) => view.getFloat64(8 * at, isLittle),
  };
  const read = readers[DataType] as (at: number) => number;
  return { count, number: (at) => read(place(at)) };
}

/** What leads to the scanner's coordinates, or from an unknown space to a known one; undefined: nothing is to be done. */
function moveOf({ systems, meta }: DataArray): Transform | undefined {
  if (systems.some(({ from }) => from === scanner)) return undefined;
  const toScanner = systems.find(({ to }) => to === scanner);
  if (toScanner) return matrixIn(toScanner.matrix);
  const part = (key: string): number => Number(meta.get(`VolGeom${key}`) ?? Number.NaN);
  const ofVolume = scannerMove((key) => ['R', 'A', 'S'].map((axis) => part(`${key.slice(0, 1).toUpperCase()}_${axis}`)));
  if (ofVolume) return ofVolume;
  const named = systems.find(({ from, to }) => (from === '' || from === unknown) && to !== '' && to !== unknown);
  return named && matrixIn(named.matrix);
}

function matrixIn(text: string): Transform {
  const numbers = text.trim().split(/\s+/).map(Number);
  const move = numbers.slice(0, 12);
  if (numbers.length !== 16 || !isUsableTransform(move))
    throw new StriaError(
      'corrupt',
      'the coordinate system of the GIFTI file has no usable matrix of 16 numbers: the file is damaged',
    );
  return move;
}
