import { expect, test } from 'vitest';
import { memorySource } from '../../../core/shared/bytes.ts';
import type { OwnLabels } from '../../../core/shared/label-table.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { LoadRequest } from './load-protocol.ts';
import { labelsOf } from './open-request.ts';
import { serveSiblings } from './ports.ts';

test('a table beside a file names labels that have only colours, such as those of a palette, or that the file does not mention', async () => {
  const table = new TextEncoder().encode('number,name\n1,Liver\n7,Spleen\n');
  const info = testInfo([2, 2, 1, 1], 'u8');
  const labelsBeside = async (own: OwnLabels) => {
    const siblings = serveSiblings(async (name) => (name === 'seg.csv' ? memorySource(name, table) : undefined));
    const request = { kind: 'file', handle: { name: 'seg.tif' }, siblings } as unknown as LoadRequest;
    return (await labelsOf(request, info, own)).table;
  };
  const [liver, spleen] = [
    { number: 1, name: 'Liver' },
    { number: 7, name: 'Spleen' },
  ];
  expect(await labelsBeside({})).toEqual([liver, spleen]);
  const palette = [
    { number: 0, color: '#000000' },
    { number: 1, color: '#ff0000' },
  ];
  expect(await labelsBeside({ table: palette })).toEqual([palette[0], { ...liver, color: '#ff0000' }, spleen]);
  const named = [{ number: 1, name: 'Hepar' }];
  expect(await labelsBeside({ table: named })).toEqual(named);
});
