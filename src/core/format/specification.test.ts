import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileFormats } from '../shared/source.ts';
import { smallChunks, smallContainer, splitRecords, variedContainer, writeContainer } from './container-testing.ts';

// A second reader, written from docs/FORMAT.md alone. It imports nothing of the real one, and it does not try to be safe:
// it shows that the page says enough, and that writer and page agree.

const specification = readFileSync(new URL('../../../docs/FORMAT.md', import.meta.url), 'utf8');

test('the page and the Python package name every format that a source can have', () => {
  const row = /^\| `source` +\|(.*)\|$/m.exec(specification)?.[1] ?? '';
  expect([...row.matchAll(/`"([\w-]+)"`/g)].map(([, name]) => name).sort()).toEqual([...fileFormats].sort());
  const python = readFileSync(new URL('../../../python/src/stria/_header.py', import.meta.url), 'utf8');
  const list = /^FORMATS = \(([\s\S]*?)^\)/m.exec(python)?.[1] ?? '';
  expect([...list.matchAll(/"([\w-]+)"/g)].map(([, name]) => name).sort()).toEqual([...fileFormats].sort());
});

test('the worked example is the file, byte for byte', async () => {
  const example = [...specification.matchAll(/^([0-9a-f]{8}): ((?:[0-9a-f]{2} )*[0-9a-f]{2})/gm)].flatMap(
    ([, offset = '', bytes = '']) =>
      bytes.split(' ').map((byte, at) => [Number.parseInt(offset, 16) + at, Number.parseInt(byte, 16)] as const),
  );
  const file = await writeContainer(smallContainer, smallChunks);
  expect(example.map(([offset]) => offset)).toEqual([...file.keys()]);
  expect(example.map(([, byte]) => byte)).toEqual([...file]);
});

test('the index of ramps is that of the golden file, byte for byte', () => {
  const example = [...specification.matchAll(/^((?:[0-9a-f]{2} )+) {2,}\S/gm)].flatMap(([, bytes = '']) =>
    bytes.trim().split(' '),
  );
  const file = readFileSync(new URL('../../../testdata/ramps.stria', import.meta.url));
  const index = splitRecords(new Uint8Array(file)).find(({ type }) => type === 'INDX');
  expect(example.map((byte) => Number.parseInt(byte, 16))).toEqual([...(index?.body ?? [])]);
});

test('a reader written from the page alone reads what the writer writes', async () => {
  const { bytes, chunks, source } = await variedContainer();
  const file = readBySpecification(bytes);
  expect(file.header).toMatchObject({
    format: 'stria',
    version: [1, 0],
    requires: [],
    volume: { dims: [5, 4, 3, 2], type: 'u16', slope: 'NaN', intercept: '-0' },
    chunk: [3, 4, 1, 1],
    source: 'nifti',
  });
  expect(file.copyIsAlike).toBe(true);
  expect(file.chunks).toEqual(
    chunks.map((chunk) => {
      const decoded = [chunk.decodedChecksum.sum, chunk.decodedChecksum.cross];
      if (chunk.kind === 'constant') return { element: [...chunk.element], decoded };
      if (chunk.kind === 'ramp') {
        const [low = 0, high = 0] = chunk.element;
        return { first: low + 256 * high, steps: chunk.steps, modulus: chunk.modulus, decoded };
      }
      const stages = chunk.stages.map(({ codecId, parameters }) => [codecId, ...parameters]);
      return { stages, payload: [...chunk.payload], decoded };
    }),
  );
  expect(file.constants).toEqual([1, 4, 5]);
  expect(file.ramps).toEqual([6, 7, 9]);
  expect(file.endian).toBe(source.endian);
  expect(file.parts).toEqual(
    source.parts.map(({ name, hasVoxels, before, after }) => ({ name, hasVoxels, before: [...before], after: [...after] })),
  );
});

interface SpecRecord {
  type: string;
  meta: DataView;
  body: DataView;
  checksum: number[];
  next: number;
}

function readBySpecification(file: Uint8Array) {
  const view = new DataView(file.buffer);
  const u64 = (from: DataView, at: number) => Number(from.getBigUint64(at, true));
  const part = (from: DataView, at: number, length: number) => new DataView(from.buffer, from.byteOffset + at, length);
  const bytesOf = (from: DataView) => Array.from({ length: from.byteLength }, (_, at) => from.getUint8(at));
  const text = (from: DataView) => JSON.parse(String.fromCharCode(...bytesOf(from)));

  const record = (offset: number): SpecRecord => {
    expect(offset % 8).toBe(0);
    const metaLength = view.getUint16(offset + 6, true);
    const bodyLength = u64(view, offset + 8);
    const headBytes = file.slice(offset, offset + 32 + metaLength);
    new DataView(headBytes.buffer).setBigUint64(24, BigInt(offset), true);
    expect(sums([...headBytes])).toEqual([view.getUint32(offset + 24, true), view.getUint32(offset + 28, true)]);
    const body = part(view, offset + 32 + metaLength, bodyLength);
    const checksum = [view.getUint32(offset + 16, true), view.getUint32(offset + 20, true)];
    expect(sums(bytesOf(body))).toEqual(checksum);
    const end = offset + 32 + metaLength + bodyLength;
    const next = 8 * Math.ceil(end / 8);
    expect(bytesOf(part(view, end, next - end)).every((byte) => byte === 0)).toBe(true);
    const type = String.fromCharCode(...file.subarray(offset, offset + 4));
    return { type, meta: part(view, offset + 32, metaLength), body, checksum, next };
  };
  const stages = (from: DataView, start: number) => {
    const list: number[][] = [];
    let at = start + 1;
    for (let count = from.getUint8(start); count > 0; count--) {
      const length = from.getUint8(at + 2);
      list.push([from.getUint16(at, true), ...bytesOf(part(from, at + 3, length))]);
      at += 3 + length;
    }
    return { list, length: at - start };
  };

  expect(bytesOf(part(view, file.length - 8, 8))).toEqual([...'STRIAEND'].map((letter) => letter.charCodeAt(0)));
  const tail = record(u64(view, file.length - 16));
  expect([tail.type, tail.next]).toEqual(['TAIL', file.length]);
  const header = record(16);
  const index = record(u64(tail.body, 8));
  const source = record(u64(tail.body, 24));
  expect([header.type, index.type, source.type]).toEqual(['HEAD', 'INDX', 'SRCE']);

  const methods: { list: number[][]; length: number }[] = [];
  let at = 8;
  for (let count = index.body.getUint32(0, true); count > 0; count--) {
    const method = stages(index.body, at);
    methods.push(method);
    at += method.length;
  }
  const chunks: unknown[] = [];
  for (let runs = index.body.getUint32(4, true); runs > 0; runs--) {
    const kind = index.body.getUint8(at);
    const count = index.body.getUint32(at + 1, true);
    if (kind === 0) {
      const decoded = [index.body.getUint32(at + 5, true), index.body.getUint32(at + 9, true)];
      const width = index.body.getUint8(at + 13);
      const element = bytesOf(part(index.body, at + 14, width));
      for (let i = 0; i < count; i++) chunks.push({ element, decoded });
      at += 14 + width;
    } else if (kind === 2) {
      const width = index.body.getUint8(at + 5);
      const element = (place: number) => bytesOf(part(index.body, place, width)).reduceRight((sum, byte) => 256 * sum + byte, 0);
      const modulus = index.body.getUint32(at + 6, true);
      const steps = [0, 1, 2].map((axis) => element(at + 10 + axis * width));
      at += 10 + 3 * width;
      for (let i = 0; i < count; i++, at += 8 + width) {
        const decoded = [index.body.getUint32(at, true), index.body.getUint32(at + 4, true)];
        chunks.push({ first: element(at + 8), steps, modulus, decoded });
      }
    } else {
      let offset = u64(index.body, at + 5);
      at += 13;
      for (let i = 0; i < count; i++, at += 8) {
        const method = methods[index.body.getUint32(at, true)] ?? { list: [], length: 0 };
        const length = index.body.getUint32(at + 4, true);
        const chunk = record(offset);
        expect([chunk.type, u64(chunk.meta, 0), chunk.body.byteLength]).toEqual(['CHNK', chunks.length, length]);
        expect(stages(chunk.meta, 16)).toEqual(method);
        const decoded = [chunk.meta.getUint32(8, true), chunk.meta.getUint32(12, true)];
        chunks.push({ stages: method.list, payload: bytesOf(chunk.body), decoded });
        offset += 8 * Math.ceil((32 + 8 * Math.ceil((16 + method.length) / 8) + length) / 8);
      }
    }
  }
  expect(at).toBe(index.body.byteLength);
  expect(u64(tail.body, 0)).toBe(chunks.length);

  const { endian, parts } = text(source.body);
  let next = source.next;
  for (const [number, each] of parts.entries()) {
    for (const [side, name] of ['before', 'after'].entries()) {
      if (each[name] === 0) {
        each[name] = [];
        continue;
      }
      const blob = record(next);
      expect([blob.type, blob.meta.getUint32(0, true), blob.meta.getUint32(4, true)]).toEqual(['BLOB', number, side]);
      expect(blob.body.byteLength).toBe(each[name]);
      each[name] = bytesOf(blob.body);
      next = blob.next;
    }
  }

  const constants: number[] = [];
  const ramps: number[] = [];
  let copyIsAlike = false;
  for (let offset = 16; offset < file.length; ) {
    const { type, body, checksum, next: following } = record(offset);
    if (type === 'head') copyIsAlike = checksum.join() === header.checksum.join();
    if (type === 'CONS') {
      for (let place = 0; place < body.byteLength; place += 8 + 4 + 8 + 1 + body.getUint8(place + 20)) {
        for (let i = 0; i < body.getUint32(place + 8, true); i++) constants.push(u64(body, place) + i);
      }
    }
    if (type === 'RAMP') {
      for (let place = 0; place < body.byteLength; ) {
        const [count, width] = [body.getUint32(place + 8, true), body.getUint8(place + 12)];
        for (let i = 0; i < count; i++) ramps.push(u64(body, place) + i);
        place += 17 + 3 * width + count * (8 + width);
      }
    }
    offset = following;
  }
  return { header: text(header.body), chunks, endian, parts, constants, ramps, copyIsAlike };
}

function sums(row: number[]): [number, number] {
  let sum = 0;
  let cross = 0;
  for (let i = 0; 4 * i < row.length; i++) {
    const [a = 0, b = 0, c = 0, d = 0] = row.slice(4 * i, 4 * i + 4);
    let h = (a | (b << 8) | (c << 16) | (d << 24)) ^ Math.imul(i, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
    sum = (sum + h) >>> 0;
    cross = (cross + Math.imul(h ^ (h >>> 15), 0x27d4eb2f)) >>> 0;
  }
  return [sum, cross];
}
