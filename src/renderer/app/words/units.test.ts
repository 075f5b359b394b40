import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import {
  fileLength,
  formatBytes,
  formatCount,
  formatDims,
  formatDuration,
  formatNumber,
  formatRate,
  formatRatio,
  formatSpacing,
  formatTimeLeft,
  formatVolume,
  lengthUnit,
  orientation,
  setUnits,
  shownLength,
  spellNumber,
  thinSpace,
} from './units.ts';

/** Replaces thin spaces by ordinary ones, to keep expectations readable. */
const plain = (text: string) => text.replaceAll('\u202f', ' ');

describe('counts and numbers', () => {
  it('groups thousands with thin spaces', () => {
    expect(formatCount(134217728)).toBe('134\u202f217\u202f728');
    expect(plain(formatCount(999))).toBe('999');
    expect(plain(formatNumber(-1234567))).toBe('−1 234 570');
    expect(plain(formatNumber(-1234567, 7))).toBe('−1 234 567');
  });

  it('writes whole numbers in full, and others with an exponent if that is shorter', () => {
    const spelled = [614_454_277, -12, 0, 4e9, 4_294_967_295.5, 3e38, 1e-7].map((value) => plain(spellNumber(value)));
    expect(spelled).toEqual(['614 454 277', '−12', '0', '4 000 000 000', '4 294 967 295.5', '3e38', '1e−7']);
    expect(plain(formatNumber(4e9))).toBe('4e9');
    expect(formatNumber(-Number.MAX_VALUE, 3)).toBe('−1.7976931348623157e308');
  });

  it('drops float noise', () => {
    expect(formatNumber(0.1 + 0.2)).toBe('0.3');
    expect(formatNumber(812)).toBe('812');
    expect(formatNumber(1e-7)).toBe('1e−7');
    expect(formatNumber(Number.NaN)).toBe('NaN');
    expect(formatNumber(-0)).toBe('0');
  });

  it('stays within the requested precision for every finite number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const back = Number(formatNumber(value).replaceAll('\u202f', '').replaceAll('−', '-'));
        expect(Math.abs(back - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-5);
      }),
    );
  });
});

describe('bytes, rates, times', () => {
  it('shows three significant digits', () => {
    expect(plain(formatBytes(812))).toBe('812 B');
    expect(plain(formatBytes(1023))).toBe('1 023 B');
    expect(plain(formatBytes(3_100_000))).toBe('2.96 MiB');
    expect(plain(formatBytes(512 ** 3))).toBe('128 MiB');
    expect(plain(formatBytes(1024 * 1024 - 1))).toBe('1.00 MiB');
    expect(plain(formatRate(12.4e9))).toBe('12.4 GB/s');
    expect(plain(formatRate(0))).toBe('–');
    expect(plain(formatRate(812e6))).toBe('812 MB/s');
    expect(plain(formatRatio(41.29))).toBe('41.3 ×');
    expect(plain(formatRatio(1234.4))).toBe('1 234 ×');
    expect(plain(formatRatio(1.456))).toBe('1.46 ×');
  });

  it('chooses the unit of time', () => {
    expect(plain(formatDuration(0.42))).toBe('0.42 ms');
    expect(plain(formatDuration(999.7))).toBe('1.00 s');
    expect(plain(formatDuration(192_000))).toBe('3 min 12 s');
    expect(plain(formatTimeLeft(400))).toBe('less than 1 s left');
    expect(plain(formatTimeLeft(12_300))).toBe('about 12 s left');
  });
});

describe('volumes', () => {
  it('shows dims, spacing and orientation', () => {
    expect(formatDims([17, 21, 3, 20])).toBe('17 × 21 × 3 × 20');
    expect(formatDims([17, 21, 3, 1])).toBe('17 × 21 × 3');
    const info = {
      dims: [2, 2, 2, 1] as const,
      type: 'u8' as const,
      spacing: [0.898437, 0.898437, 1.25, 1] as const,
      spatialUnit: 'mm' as const,
      timeUnit: 's' as const,
      affine: [],
      slope: 1,
      intercept: 0,
    };
    expect(plain(formatSpacing(info))).toBe('0.8984 × 0.8984 × 1.25 mm');
    expect(orientation([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])).toBe('RAS');
    expect(orientation([-2, 0, 0, 9, 0, 0, 1, 0, 0, -1, 0, 0])).toBe('LIA');
  });
});

describe('chosen units', () => {
  const info = { spacing: [0.5, 0.5, 1.25], spatialUnit: 'mm' } as unknown as VolumeInfo;
  afterEach(() => setUnits({ lengthUnits: 'file', byteUnits: 'binary' }));

  it('apply to lengths, areas and volumes if the file gives a unit', () => {
    setUnits({ lengthUnits: 'um', byteUnits: 'binary' });
    expect(formatSpacing(info)).toBe(`500 × 500 × 1${thinSpace}250${thinSpace}µm`);
    expect(lengthUnit(info)).toBe('µm');
    expect(shownLength(2, info, 3)).toBeCloseTo(2e9);
    expect(formatVolume(2e-6, info)).toBe(`2${thinSpace}000${thinSpace}µm³`);
    expect(formatVolume(2, { spatialUnit: 'unknown' })).toBe('2');
    expect(formatSpacing({ ...info, spatialUnit: 'unknown' })).toBe('0.5 × 0.5 × 1.25');
    expect(formatSpacing({ ...info, spacing: [0.0000459, 0.0000448, 0.0000393, 1], spatialUnit: 'um' })).toBe(
      `0.0459 × 0.0448 × 0.0393${thinSpace}nm`,
    );
    expect(fileLength(5000, info)).toBe(5);
    expect(fileLength(5000, { spatialUnit: 'unknown' })).toBe(5000);
    setUnits({ lengthUnits: 'mm', byteUnits: 'binary' });
    expect(shownLength(2, { spatialUnit: 'm' })).toBeCloseTo(2000);
    expect(formatVolume(5e6, { spatialUnit: 'um' })).toBe(`0.005${thinSpace}mm³`);
    expect(fileLength(2000, { spatialUnit: 'm' })).toBe(2);
  });

  it('apply to bytes', () => {
    expect(formatBytes(3_230_000)).toBe(`3.08${thinSpace}MiB`);
    setUnits({ lengthUnits: 'file', byteUnits: 'decimal' });
    expect(formatBytes(3_230_000)).toBe(`3.23${thinSpace}MB`);
    expect(formatBytes(999)).toBe(`999${thinSpace}B`);
    expect(formatBytes(1e12)).toBe(`1.00${thinSpace}TB`);
  });
});
