import { StriaError } from '../shared/errors.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { asArray, asNumber, asObject, asText, type JsonObject, jsonNumber } from './json.ts';

// The keys of `volume` in HEAD that may be left out. docs/FORMAT.md, 'HEAD'.

type Facts = Pick<VolumeInfo, 'channels' | 'valueUnit' | 'windows'>;

const maxChannels = 4096;
const maxWindows = 256;
const what = 'the header';

/** Shortens a text to the header's limit. A name may be empty. */
const cut = (text: string) => text.slice(0, 1024);

export function encodeFacts({ channels, valueUnit, windows }: Facts): JsonObject {
  return {
    ...(channels && {
      channels: channels.map(({ name, color, window }) => ({
        name: cut(name),
        ...(color !== undefined && { color }),
        ...(window && { window: window.map(jsonNumber) }),
      })),
    }),
    ...(valueUnit && { valueUnit: cut(valueUnit) }),
    ...(windows &&
      windows.length > 0 && {
        windows: windows.slice(0, maxWindows).map(({ name, low, high }) => ({
          name: cut(name),
          low: jsonNumber(low),
          high: jsonNumber(high),
        })),
      }),
  };
}

/** @param timeLength dims[3]: a multiple of the number of channels. @throws StriaError `corrupt` */
export function parseFacts(json: JsonObject, timeLength: number): Facts {
  const { channels, valueUnit, windows } = json;
  return {
    ...(channels !== undefined && { channels: parseChannels(channels, timeLength) }),
    ...(valueUnit !== undefined && { valueUnit: asText(valueUnit, `${what}'s valueUnit`) }),
    ...(windows !== undefined && { windows: parseWindows(windows) }),
  };
}

function parseChannels(value: unknown, timeLength: number): NonNullable<Facts['channels']> {
  const list = asArray(value, `${what}'s channels`, { maxLength: maxChannels });
  if (list.length === 0 || timeLength % list.length !== 0) {
    throw new StriaError(
      'corrupt',
      `${what} has ${list.length} channels, but t is ${timeLength}, which is not a multiple of that`,
    );
  }
  return list.map((item) => {
    const { name, color, window } = asObject(item, `a channel in ${what}`);
    if (color !== undefined && (typeof color !== 'string' || !/^#[0-9a-f]{6}$/i.test(color))) {
      throw new StriaError('corrupt', `a channel's colour in ${what} is ${JSON.stringify(color)}, not #rrggbb`);
    }
    return {
      name: asName(name, `a channel's name in ${what}`),
      ...(color !== undefined && { color }),
      ...(window !== undefined && { window: parseRange(window, `a channel's window in ${what}`) }),
    };
  });
}

function parseWindows(value: unknown): NonNullable<Facts['windows']> {
  return asArray(value, `${what}'s windows`, { maxLength: maxWindows }).map((item) => {
    const { name, low, high } = asObject(item, `a window in ${what}`);
    const [from, to] = parseRange([low, high], `a window in ${what}`);
    return { name: asName(name, `a window's name in ${what}`), low: from, high: to };
  });
}

function parseRange(value: unknown, name: string): readonly [number, number] {
  const [low = 0, high = 0] = asArray(value, name, { length: 2 }).map((end) => asNumber(end, `an end of ${name}`));
  return [low, high];
}

/** A text of up to 1024 UTF-16 units. */
function asName(value: unknown, name: string): string {
  return value === '' ? '' : asText(value, name);
}
