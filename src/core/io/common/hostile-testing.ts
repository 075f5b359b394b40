import { expect } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { joinBytes } from './byte-stream.ts';
import { faultOf, siblingsAmong, type TestFile } from './source-testing.ts';
import type { VolumeReader } from './volume-reader.ts';

// Helpers for this folder's tests: truncated files, and files with random changes.

/** No file in these tests holds more bytes of voxels. A reader that returns more has trusted a header. */
const mostBytes = 2 ** 20;

/** Opens the first file and reads all of it. Returns a StriaError; any other error fails the test. */
async function fault(reader: VolumeReader, files: readonly TestFile[]) {
  const [{ name, bytes }] = files as [TestFile];
  const work = async () => {
    const volume = await reader.open(memorySource(name, bytes), { siblings: siblingsAmong(files) });
    let length = 0;
    for await (const piece of volume.voxels()) {
      length += piece.byteLength;
      if (length > mostBytes) throw new Error(`got ${length} bytes of voxels from a file of ${bytes.byteLength}`);
    }
    expect(length).toBe(volumeBytes(volume.info));
    await volume.source();
  };
  const found = await faultOf(work());
  if (found?.tag === 'internal') throw found;
  return found;
}

/** Truncates a file at each byte. @param mayEnd lengths at which it is still complete */
export async function expectCutsNoticed(
  reader: VolumeReader,
  files: readonly TestFile[],
  which = 0,
  mayEnd: (length: number) => boolean = () => false,
): Promise<void> {
  const { name, bytes } = files[which] as TestFile;
  for (let length = 0; length < bytes.byteLength; length++) {
    const cut = files.map((file, index) => (index === which ? { name, bytes: bytes.subarray(0, length) } : file));
    const found = await fault(reader, cut);
    if (found === undefined && !mayEnd(length)) throw new Error(`${name}, cut at byte ${length}, was read`);
  }
}

/** Reads `count` copies of a file, each changed in one to three places: each gives a typed error or a volume. */
export async function expectMutantsHandled(
  reader: VolumeReader,
  files: readonly TestFile[],
  count: number,
  headerBytes: number,
): Promise<void> {
  let state = 12345;
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const edges = [0, 1, 0x7f, 0x80, 0xff, 0x30, 0x39, 0x2d, 0x20, 0x0a];
  const mutate = (bytes: Uint8Array): Uint8Array => {
    const copy = bytes.slice();
    const at = below(Math.min(headerBytes, copy.length));
    switch (below(5)) {
      case 0:
        copy[at] = (copy[at] as number) ^ (1 << below(8));
        return copy;
      case 1:
        copy[at] = edges[below(edges.length)] as number;
        return copy;
      case 2:
        return copy.fill(below(2) * 255, at, at + 1 + below(8));
      case 3:
        return joinBytes([copy.subarray(0, at), copy.subarray(at + 1 + below(8))]);
      default:
        return joinBytes([copy.subarray(0, at), copy.subarray(at - below(16), at), copy.subarray(at)]);
    }
  };
  for (let run = 0; run < count; run++) {
    const which = below(4) === 0 ? below(files.length) : 0;
    const { name, bytes } = files[which] as TestFile;
    let mutant = mutate(bytes);
    for (let more = below(3); more > 0; more--) mutant = mutate(mutant);
    await fault(
      reader,
      files.map((file, index) => (index === which ? { name, bytes: mutant } : file)),
    );
  }
}
