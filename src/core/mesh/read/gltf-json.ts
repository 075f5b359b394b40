import { StriaError } from '../../shared/errors.ts';

/** An object of a file, of unknown members. */
export type GltfObject = Readonly<Record<string, unknown>>;

const magic = 0x46546c67;
const jsonChunk = 0x4e4f534a;
const binaryChunk = 0x004e4942;
/** V8 holds no text of more bytes. */
const mostJsonBytes = 2 ** 28;

/** The JSON of a .gltf or .glb, and the binary part of a .glb. @throws StriaError `corrupt`, `unsupported` */
export function gltfJson(bytes: Uint8Array): { readonly json: GltfObject; readonly binary: Uint8Array | undefined } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || view.getUint32(0, true) !== magic) return { json: parsed(bytes), binary: undefined };
  const version = view.getUint32(4, true);
  if (version !== 2) throw new StriaError('unsupported', `this is glTF ${version}. Export it as glTF 2.0`);
  let [json, binary]: (Uint8Array | undefined)[] = [];
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const [length, kind] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const end = at + 8 + length;
    if (end > bytes.byteLength) throw new StriaError('corrupt', 'the file ends early. Copy or export it again');
    if (kind === jsonChunk) json ??= bytes.subarray(at + 8, end);
    if (kind === binaryChunk) binary ??= bytes.subarray(at + 8, end);
    at = end;
  }
  if (!json) throw new StriaError('corrupt', 'the file has no description of its meshes. Copy or export it again');
  return { json: parsed(json), binary };
}

function parsed(bytes: Uint8Array): GltfObject {
  if (bytes.byteLength > mostJsonBytes) throw new StriaError('unsupported', 'the file has too much text. Export it as .glb');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new StriaError('corrupt', 'the description of the meshes is not JSON: the file is damaged', { cause });
  }
  return asRecord(value, 'the file');
}

export function asRecord(value: unknown, what: string): GltfObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as GltfObject;
  throw new StriaError('corrupt', `${what} is missing, or not an object: the file is damaged`);
}

export function asList(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new StriaError('corrupt', `${what} is missing, or not a list: the file is damaged`);
}

/** A whole number from 0. */
export function countIn(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new StriaError('corrupt', `${what} is ${JSON.stringify(value)?.slice(0, 40)}, not a whole number: the file is damaged`);
}
