// Counts, bytes, rates, ratios and durations as text, for both the app and the command. The caller chooses the space between a
// number and its unit, and between groups of three digits: the command takes a plain space, so that its output is easy to
// search.

export const byteUnitNames = ['binary', 'decimal'] as const;
export type ByteUnits = (typeof byteUnitNames)[number];

const byteSizes = {
  binary: { step: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] },
  decimal: { step: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] },
} as const;

export interface AmountTexts {
  /** `1 234 567`. A whole number. */
  count(count: number): string;
  /** Bytes in the largest unit that gives at least 1, with three significant digits: `3.08 MiB` or `3.23 MB`. */
  bytes(bytes: number, units: ByteUnits): string;
  /** Throughput in decimal units, as GPU makers and the literature state it: `12.4 GB/s`. */
  rate(bytesPerSecond: number): string;
  /** `41.3 ×`. */
  ratio(ratio: number): string;
  /** `0.42 ms`, `31.4 ms`, `2.31 s`, `3 min 12 s`. */
  duration(ms: number): string;
}

/** @param unitSpace between a number and its unit @param groupSpace between groups of three digits */
export function amountTexts(unitSpace: string, groupSpace: string): AmountTexts {
  const count = (value: number): string =>
    String(Math.round(value))
      .replace('-', '−')
      .replace(/\B(?=(\d{3})+$)/g, groupSpace);
  const threeDigits = (value: number): string => {
    if (!Number.isFinite(value)) return '–';
    const magnitude = Math.abs(value);
    if (magnitude >= 99.95) return count(value);
    return value.toFixed(magnitude >= 9.995 ? 1 : 2);
  };
  const withUnit = (value: number, unit: string): string => `${threeDigits(value)}${unitSpace}${unit}`;
  return {
    count,
    bytes(bytes, units) {
      const { step, names } = byteSizes[units];
      let unit = 0;
      let value = bytes;
      while (value >= step - 0.5 && unit < names.length - 1) {
        value /= step;
        unit++;
      }
      return unit === 0 ? `${count(value)}${unitSpace}B` : withUnit(value, names[unit] as string);
    },
    rate(bytesPerSecond) {
      if (!Number.isFinite(bytesPerSecond) || bytesPerSecond <= 0) return '–';
      return bytesPerSecond >= 0.9995e9 ? withUnit(bytesPerSecond / 1e9, 'GB/s') : withUnit(bytesPerSecond / 1e6, 'MB/s');
    },
    ratio: (ratio) => (Number.isFinite(ratio) ? withUnit(ratio, '×') : '–'),
    duration(ms) {
      if (ms < 999.5) return withUnit(ms, 'ms');
      if (ms < 59_950) return withUnit(ms / 1000, 's');
      const seconds = Math.round(ms / 1000);
      return `${Math.floor(seconds / 60)}${unitSpace}min ${seconds % 60}${unitSpace}s`;
    },
  };
}
