/** Control characters, and those that change the direction of text: no volume's name has them. */
export const misleading = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Names of devices on Windows, in whatever folder and with whatever ending. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?$/i;

/** True for a name that stays in its folder: no path, no device, no stream, nothing that a system would cut off. */
export function isPlainName(name: string, platform: string = process.platform): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > 255 || /[/\\\0]/.test(name)) return false;
  return platform !== 'win32' || !(/[:*?"<>|\p{Cc}]|[. ]$/u.test(name) || windowsDevice.test(name));
}
