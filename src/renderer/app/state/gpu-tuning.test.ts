import { expect, test } from 'vitest';
import { standardTuning } from '../../../core/gpu/tuning.ts';
import { checkedTunings, keptTuning, withTuning } from './gpu-tuning.ts';
import { defaultSettings, readSettings, writeSettings } from './settings.ts';

const adapter = { vendor: 'nvidia', architecture: 'hopper', device: '', description: 'driver 1' };
const newer = { ...adapter, description: 'driver 2' };
const tuning = { ...standardTuning, 'rice.decode': 64 };
const gpuOf = (described: typeof adapter | undefined) => ({ diagnosis: { adapter: described } }) as never;

function stored(tunings: unknown) {
  let text = JSON.stringify({ tunings });
  return {
    getItem: () => text,
    setItem: (_key: string, value: string) => {
      text = value;
    },
  };
}

test('tuning is stored for its GPU only', () => {
  const place = stored({});
  writeSettings(place, { ...defaultSettings, tunings: withTuning({}, adapter, tuning) });
  const { tunings } = readSettings(place);
  expect(keptTuning(tunings, gpuOf(adapter))).toEqual(tuning);
  expect(keptTuning(tunings, gpuOf(newer))).toBe(undefined);
  expect(keptTuning(tunings, gpuOf(undefined))).toBe(undefined);
  expect(withTuning(tunings, adapter, undefined)).toEqual({});
});

test('only the latest of very many GPUs are kept', () => {
  let tunings = {};
  for (let version = 0; version < 40; version++) {
    tunings = withTuning(tunings, { ...adapter, description: `driver ${version}` }, tuning);
  }
  expect(Object.keys(tunings)).toHaveLength(16);
  expect(keptTuning(tunings, gpuOf({ ...adapter, description: 'driver 39' }))).toEqual(tuning);
});

test.each([
  ['nothing', undefined, {}],
  ['text', 'fast', {}],
  ['a list', [tuning], {}],
  ['null', null, {}],
  ['an entry that is none', { a: null, b: 7, c: 'x' }, {}],
  ['stale and hostile values', { a: { 'rice.decode': 1e9, 'rle.gone': 64 } }, { a: standardTuning }],
  ['a key without end', { ['k'.repeat(1000)]: tuning }, {}],
])('%s in storage is the standard', (_what, value, expected) => {
  expect(checkedTunings(value)).toEqual(expected);
  expect(readSettings(stored(value)).tunings).toEqual(expected);
});

test('a key that every object has is not a stored tuning', () => {
  const odd = { vendor: '', architecture: '', device: '', description: '' };
  expect(keptTuning(checkedTunings({}), gpuOf({ ...odd, vendor: 'constructor' }))).toBe(undefined);
});
