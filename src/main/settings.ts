import { toFileFault } from './file-faults.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import type { WindowPlace } from './window-place.ts';

/** The settings that main keeps between starts. */
export interface ShellSettings {
  /** Whether to start with the switches of compatibility.ts. */
  readonly compatibilityMode: boolean;
  /** Whether to look for a new version at each start. Off until the user turns it on. */
  readonly updateChecks: boolean;
  readonly window: WindowPlace | undefined;
}

export interface SettingsStore {
  get(): ShellSettings;
  /** Changes and saves settings. @throws StriaError `not-writable`; the change then lasts until the app ends */
  change(part: Partial<ShellSettings>): void;
}

/** @param file path of the JSON file. A missing or damaged file means the defaults. */
export function createSettings(file: string): SettingsStore {
  let settings = checked(readJsonFile(file));
  return {
    get: () => settings,
    change(part) {
      settings = { ...settings, ...part };
      try {
        writeJsonFile(file, settings);
      } catch (error) {
        throw toFileFault(error, 'not-writable', file);
      }
    },
  };
}

function checked(value: unknown): ShellSettings {
  const { compatibilityMode, updateChecks, window } = asRecord(value);
  return { compatibilityMode: compatibilityMode === true, updateChecks: updateChecks === true, window: checkedPlace(window) };
}

function checkedPlace(value: unknown): WindowPlace | undefined {
  const { x, y, width, height, maximized } = asRecord(value);
  if (!isPixels(x) || !isPixels(y) || !isPixels(width) || !isPixels(height)) return undefined;
  return { x, y, width, height, maximized: maximized === true };
}

function isPixels(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 100_000;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
