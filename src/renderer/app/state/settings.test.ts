import { describe, expect, it } from 'vitest';
import { defaultSettings, readSettings, writeSettings } from './settings.ts';

function storage(initial?: string) {
  let text = initial ?? null;
  return {
    getItem: () => text,
    setItem: (_key: string, value: string) => {
      text = value;
    },
  };
}

/** Defaults as read from settings that a version before the introduction stored. */
const known = { ...defaultSettings, introduced: true };

/** The settings that each version stored, starting with the first one, with every value changed. */
const first = { theme: 'light', layout: 'slices', inspectorOpen: false, inspectorWidth: 400, foldedSections: ['gpu'], axis: 'y' };
const shapes: Readonly<Record<string, object>> = {
  first: { ...first, codec: 'rle' },
  'with playback': { ...first, codec: 'auto', playback: { rate: 24, pace: 'every', atEnd: 'bounce' } },
  'with units': {
    ...first,
    prefer: 'size',
    effort: 'max',
    lengthUnits: 'um',
    byteUnits: 'decimal',
    gpuBudgetMiB: 512,
    ground: 'gray',
  },
  'with tunings': { ...first, logCounts: false, tunings: {} },
  'with tabs': { ...first, inspectorTab: 'gpu', foldedSections: ['compression'], openingSecond: 'replace' },
};

describe('settings', () => {
  it.each(Object.entries(shapes))('of an older version are kept: %s', (_, shape) => {
    const settings = readSettings(storage(JSON.stringify(shape)));
    for (const [name, value] of Object.entries(shape)) {
      // The section 'gpu' became a tab, and playback has its own test.
      if (name === 'foldedSections') expect(settings.foldedSections).toEqual(value[0] === 'gpu' ? [] : value);
      else if (name === 'lengthUnits') expect(['file', value]).toContain(settings.lengthUnits);
      else expect(settings, name).toMatchObject({ [name]: value });
    }
    expect(settings.introduced).toBe(true);
    // This version reads what it writes.
    const place = storage();
    writeSettings(place, settings);
    expect(readSettings(place)).toEqual(settings);
  });

  it('ignore hostile text', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const text of [
      '{"__proto__":{"theme":"light"},"constructor":{"prototype":{"theme":"light"}}}',
      `{"tunings":${deep},"foldedSections":${deep}}`,
      `{"codec":"${'rle+'.repeat(100_000)}","tunings":{"__proto__":{"x":1}}}`,
      '{"inspectorWidth":1e999,"gpuBudgetMiB":-1e999,"playback":{"rate":1e999}}',
      '{"theme":{"toString":"light"},"layout":["quad"],"introduced":"no","inspectorTab":null}',
    ]) {
      const settings = readSettings(storage(text));
      expect(settings).toMatchObject({ theme: 'system', layout: 'quad', codec: 'auto', inspectorTab: 'display', tunings: {} });
      expect(settings.inspectorWidth).toBeLessThanOrEqual(560);
      expect(settings.gpuBudgetMiB === 'auto' || settings.gpuBudgetMiB >= 64).toBe(true);
      expect(settings.playback.rate).toBeLessThanOrEqual(120);
    }
    expect(({} as { theme?: string }).theme).toBeUndefined();
  });

  it('come back as they were written', () => {
    const place = storage();
    const settings = {
      ...defaultSettings,
      theme: 'light',
      inspectorWidth: 400,
      inspectorTab: 'gpu',
      foldedSections: ['compression'],
      codec: 'rle+huffman',
      gpuBudgetMiB: 512,
      openingSecond: 'replace',
    } as const;
    writeSettings(place, settings);
    expect(readSettings(place)).toEqual(settings);
  });

  it('fall back to defaults if the storage is missing, damaged or invalid', () => {
    expect(readSettings(undefined)).toEqual(defaultSettings);
    expect(readSettings(storage('{'))).toEqual(defaultSettings);
    expect(readSettings(storage('null'))).toEqual(defaultSettings);
    expect(readSettings(storage('{"theme":"pink","inspectorWidth":"wide","foldedSections":7,"axis":"w"}'))).toEqual(known);
    const odd = {
      codec: 'zip',
      prefer: 'luck',
      effort: 9,
      gpuBudgetMiB: 'all',
      lengthUnits: 'inch',
      byteUnits: 1,
      ground: 'pink',
      openingSecond: 'maybe',
      inspectorTab: 'nowhere',
    };
    expect(readSettings(storage(JSON.stringify(odd)))).toEqual(known);
    expect(readSettings(storage('{"gpuBudgetMiB":1}')).gpuBudgetMiB).toBe(64);
    expect(readSettings(storage('{"inspectorWidth":99999}')).inspectorWidth).toBe(560);
    for (const playback of ['7', 'null', '[]', '{"rate":"fast","pace":1,"atEnd":null}']) {
      expect(readSettings(storage(`{"playback":${playback}}`))).toEqual(known);
    }
    expect(readSettings(storage('{"playback":{"rate":99999,"pace":"every"}}')).playback).toEqual({
      rate: 120,
      pace: 'every',
      atEnd: 'loop',
    });
  });

  it('cope with a storage that throws', () => {
    const broken = {
      getItem: () => {
        throw new Error('denied');
      },
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(readSettings(broken)).toEqual(defaultSettings);
    expect(() => writeSettings(broken, defaultSettings)).not.toThrow();
  });
});
