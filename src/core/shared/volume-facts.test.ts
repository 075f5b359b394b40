import { expect, test } from 'vitest';
import { channelAt, channelLayout } from './volume.ts';
import { searchTags } from './volume-facts.ts';

test('tags are found by every word of a search, in any case and any field', () => {
  const tag = (id: string, name: string, value: string) => ({ id, name, value, isPersonal: false });
  const tags = [
    tag('(0008,0060)', 'Modality', 'CT'),
    tag('(0018,0060)', 'KVP', '120'),
    tag('(0010,0010)', 'Patient Name', 'Doe'),
  ];
  const found = (search: string) => searchTags(tags, search).map(({ name }) => name);
  expect(found('')).toHaveLength(3);
  expect(found('0060')).toEqual(['Modality', 'KVP']);
  expect(found('modality ct')).toEqual(['Modality']);
  expect(found('DOE')).toEqual(['Patient Name']);
  expect(found('ct 120')).toEqual([]);
});

test('t is channels times time points', () => {
  const channels = [{ name: 'DAPI' }, { name: 'GFP' }];
  expect(channelLayout({ dims: [1, 1, 1, 6], channels })).toEqual({ channelCount: 2, timePoints: 3 });
  expect(channelAt({ dims: [1, 1, 1, 6], channels }, 4)).toEqual({ channel: 1, time: 1 });
  expect(channelAt({ dims: [1, 1, 1, 6] }, 4)).toEqual({ channel: 0, time: 4 });
  expect(channelLayout({ dims: [1, 1, 1, 6] })).toEqual({ channelCount: 1, timePoints: 6 });
});
