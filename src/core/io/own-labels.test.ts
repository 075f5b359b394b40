import { expect, test } from 'vitest';
import { memorySource } from '../shared/bytes.ts';
import type { Endian } from '../shared/volume.ts';
import { niftiFile, noise } from './common/source-testing.ts';
import { openVolume } from './open-volume.ts';
import { ownLabels } from './own-labels.ts';

const caret =
  '<CaretExtension><LabelTable><Label Key="4" Red="1" Green="0" Blue="0" Alpha="1">Cuneus</Label></LabelTable></CaretExtension>';
const afni =
  '<AFNI_attributes><AFNI_atr atr_name="VALUE_LABEL_DTABLE">"&lt;VALUE_LABEL_DTABLE ni_dimen=&quot;1&quot;&gt; &quot;9&quot; &quot;Area&quot;"</AFNI_atr></AFNI_attributes>';

/** An extension, padded to a multiple of 16 bytes. */
function extension(code: number, text: string, endian: Endian, length?: number): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(16 * Math.ceil((8 + bytes.length) / 16));
  padded.set(bytes, 8);
  const view = new DataView(padded.buffer);
  view.setInt32(0, length ?? padded.length, endian === 'little');
  view.setInt32(4, code, endian === 'little');
  return padded;
}

async function labelsOf(version: 1 | 2, endian: Endian, intent: number, extensions: readonly Uint8Array[]) {
  const joined = Uint8Array.from(extensions.flatMap((bytes) => [...bytes]));
  const file = niftiFile({ version, endian }, noise(4 * 3 * 2), joined);
  const view = new DataView(file.buffer, file.byteOffset);
  if (version === 1) view.setInt16(68, intent, endian === 'little');
  else view.setInt32(504, intent, endian === 'little');
  const volume = await openVolume(memorySource('a.nii', file));
  for await (const _ of volume.voxels());
  return ownLabels(await volume.source());
}

test.each([
  [1, 'little'],
  [1, 'big'],
  [2, 'little'],
  [2, 'big'],
] as const)(
  'NIfTI-%i, %s-endian: the intent says that voxels are labels, and an extension names them',
  async (version, endian) => {
    expect(await labelsOf(version, endian, 1002, [extension(6, 'a comment', endian), extension(30, caret, endian)])).toEqual({
      areLabels: true,
      table: [{ number: 4, name: 'Cuneus', color: '#ff0000' }],
    });
    expect(await labelsOf(version, endian, 0, [extension(4, afni, endian)])).toEqual({
      areLabels: false,
      table: [{ number: 9, name: 'Area' }],
    });
  },
);

test('broken extensions leave the volume as it is', async () => {
  const broken = [extension(30, '<Caret', 'little'), extension(4, afni, 'little', 2 ** 31 - 1)];
  expect(await labelsOf(1, 'little', 1002, broken)).toEqual({ areLabels: true, table: undefined });
  expect(await labelsOf(1, 'little', 3, [extension(30, caret, 'little', 0)])).toEqual({ areLabels: false, table: undefined });
});
