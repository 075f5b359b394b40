import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { faultOf } from '../common/source-testing.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { describedTiff, omeTiff, omeXml, planesInOrder, type TestImage } from './ome-tiff-testing.ts';

const image: TestImage = {
  sizes: [6, 4, 2, 2, 2],
  attributes: 'PhysicalSizeX="0.5"',
  channels: '<Channel ID="Channel:0:0" Name="a" Color="255"/><Channel ID="Channel:0:1"/>',
};
const half: TestImage = { sizes: [3, 2, 2, 2, 2] };
const text = 'ImageJ=1.54f\nimages=8\nchannels=2\nslices=2\nframes=2\nhyperstack=true\nmode=composite\n';
const metadata = [
  { tag: 50838, type: 4, values: [20, 32] },
  { tag: 50839, type: 1, values: [...new TextEncoder().encode('JIJIgnar'), 1, ...Array.from({ length: 47 }, () => 0)] },
] as const;

const originals: readonly (readonly [string, Uint8Array])[] = [
  ['plain', omeTiff(image)],
  ['BigTIFF, deflate', omeTiff(image, { isBig: true, compression: 'deflate', predictor: 2 })],
  [
    'levels of tiles, LZW, big-endian',
    omeTiff(image, {
      endian: 'big',
      compression: 'lzw',
      tile: [16, 16],
      levels: [{ spec: { width: 3, height: 2, type: 'u16' }, pages: planesInOrder(half) }],
    }),
  ],
  ['a hyperstack', describedTiff({ ...image, order: 'XYCZT' }, text, planesInOrder(image), { firstTags: metadata })],
];

/** No file in these tests holds more bytes of voxels. A reader that returns more has trusted the metadata. */
const mostBytes = 2 ** 20;
const answers = ['corrupt', 'unsupported', 'invalid-input', 'not-readable'];

async function read(bytes: Uint8Array, name = 'a.ome.tif') {
  const volume = await openVolume(memorySource(name, bytes), { siblings: async () => undefined });
  let length = 0;
  for await (const piece of volume.voxels()) {
    length += piece.byteLength;
    if (length > mostBytes) throw new Error(`got ${length} bytes of voxels from a file of ${bytes.byteLength}`);
  }
  if (length !== volumeBytes(volume.info)) throw new Error(`got ${length} bytes instead of ${volumeBytes(volume.info)}`);
  await volume.source();
  return volume;
}

/** A typed fault, or undefined. Anything else fails the test. */
async function answer(bytes: Uint8Array) {
  const fault = await faultOf(read(bytes));
  if (fault !== undefined && !answers.includes(fault.tag)) throw fault;
  await faultOf(listVolumes(memorySource('a.ome.tif', bytes)));
  return fault;
}

describe.each(originals)('%s', (name, original) => {
  test('truncated anywhere, it is refused', async () => {
    await read(original);
    for (let length = 0; length < original.byteLength; length += name === 'plain' ? 3 : 7) {
      // Losing padding at the end does not matter.
      if (original.subarray(length).every((byte) => byte === 0)) continue;
      if ((await answer(original.subarray(0, length))) === undefined) throw new Error(`cut at byte ${length}, it was read`);
    }
  });

  test('with wrong bytes, it is refused or has as many voxels as it states', async () => {
    let state = 4321;
    const below = (limit: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const digits = [...original.keys()].filter((at) => /[0-9]/.test(String.fromCharCode(original[at] as number)));
    for (let run = 0; run < 500; run++) {
      const bytes = original.slice();
      for (let change = 0; change <= below(3); change++) {
        // Numbers in the description are the easiest to trust by mistake.
        if (below(3) === 0) bytes[digits[below(digits.length)] as number] = 0x30 + below(10);
        else bytes[below(bytes.byteLength)] = [0, 1, 0x7f, 0x80, 0xff, below(256)][below(6)] as number;
      }
      await answer(bytes);
    }
  });
});

describe('malicious files', () => {
  const faultWith = (xml: string) => faultOf(read(describedTiff(image, xml, planesInOrder(image))));

  test.each<readonly [string, string, string]>([
    [
      'entities',
      omeXml([image]).replace('<OME', '<!DOCTYPE OME [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><OME').replace('cells', '&b;'),
      'broken',
    ],
    ['a size that is none', omeXml([image]).replace('SizeZ="2"', 'SizeZ="-2"'), 'SizeZ'],
    ['a huge size', omeXml([image]).replace('SizeT="2"', 'SizeT="2000000000"'), 'too large'],
    ['a large size', omeXml([image]).replace('SizeT="2"', 'SizeT="900000"'), 'has 8 pictures'],
    [
      'sizes that overflow',
      omeXml([image]).replace('SizeT="2"', 'SizeT="9007199254740991"').replace('SizeZ="2"', 'SizeZ="9007199254740991"'),
      'too large',
    ],
    ['no order', omeXml([{ ...image, order: 'XYZZZ' }]), 'order of axes'],
    ['a plane outside', omeXml([{ ...image, tiffData: '<TiffData IFD="0" FirstT="5"/>' }]), 'puts pixels at T 5'],
    ['a directory that is not there', omeXml([{ ...image, tiffData: '<TiffData IFD="4194303" PlaneCount="1"/>' }]), ''],
    ['a directory beyond all', omeXml([{ ...image, tiffData: '<TiffData IFD="9007199254740991" PlaneCount="8"/>' }]), ''],
    ['no image', omeXml([]), 'describes no image'],
    ['another root', '<?xml version="1.0"?><?x <OME ?><html/>', "begins with 'html'"],
    ['text that ends', omeXml([image]).slice(0, -30), 'broken'],
    ['deep nesting', omeXml([image]).replace('<TiffData/>', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`), 'nested too deeply'],
  ])('%s', async (_, xml, says) => {
    const fault = await faultWith(xml);
    expect(fault?.tag).toMatch(/corrupt|unsupported/);
    expect(fault?.message).toContain(says);
  });

  test('circular directories', async () => {
    const file = omeTiff(image);
    const view = new DataView(file.buffer, file.byteOffset);
    const endOf = (directory: number) => directory + 2 + 12 * view.getUint16(directory, true);
    const first = view.getUint32(4, true);
    view.setUint32(endOf(view.getUint32(endOf(first), true)), first, true);
    expect(await faultOf(read(file))).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('form a loop') });
  });

  test('levels that refer to the picture itself, or too many levels', async () => {
    const level = (values: readonly number[]) => omeTiff(image, { firstTags: [{ tag: 330, type: 4, values }] });
    const first = new DataView(omeTiff(image).buffer).getUint32(4, true);
    await answer(level([first, first]));
    const many = await faultOf(read(level(Array.from({ length: 9999 }, () => first))));
    expect(many).toMatchObject({ tag: 'corrupt', message: expect.stringContaining('claims 9999 levels') });
  });

  test('a set cannot refer to files outside its folder', async () => {
    const asked: string[] = [];
    const set = {
      ...image,
      tiffData:
        '<TiffData IFD="0" PlaneCount="4"/><TiffData FirstT="1" PlaneCount="4"><UUID FileName="../../etc/passwd">urn:uuid:2</UUID></TiffData>',
    };
    const siblings = async (name: string) => {
      asked.push(name);
      return undefined;
    };
    const fault = await faultOf(openVolume(memorySource('a.ome.tif', omeTiff(set)), { siblings }));
    expect(fault).toMatchObject({ tag: 'not-readable' });
    expect(asked).toEqual(['../../etc/passwd']);
  });

  test('a cancelled job ends', async () => {
    const volume = await openVolume(memorySource('a.ome.tif', omeTiff(image)));
    const work = (async () => {
      for await (const piece of volume.voxels({ signal: AbortSignal.abort() })) expect(piece).toBeUndefined();
    })();
    expect(await faultOf(work)).toMatchObject({ tag: 'aborted' });
  });
});
