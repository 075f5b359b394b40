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

describe('settings', () => {
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
    expect(readSettings(storage('{"theme":"pink","inspectorWidth":"wide","foldedSections":7,"axis":"w"}'))).toEqual(
      defaultSettings,
    );
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
    expect(readSettings(storage(JSON.stringify(odd)))).toEqual(defaultSettings);
    expect(readSettings(storage('{"gpuBudgetMiB":1}')).gpuBudgetMiB).toBe(64);
    expect(readSettings(storage('{"inspectorWidth":99999}')).inspectorWidth).toBe(560);
    for (const playback of ['7', 'null', '[]', '{"rate":"fast","pace":1,"atEnd":null}']) {
      expect(readSettings(storage(`{"playback":${playback}}`))).toEqual(defaultSettings);
    }
    expect(readSettings(storage('{"playback":{"rate":99999,"pace":"every"}}')).playback).toEqual({
      rate: 120,
      pace: 'every',
      atEnd: 'loop',
    });
  });

  it('survive a storage that throws', () => {
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
