/** Control characters, and characters that change the text direction. Names of volumes never contain them. */
export const misleading = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Device names on Windows, which are reserved in any folder and with any extension. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?$/i;

/** Whether a name stays in its folder: it is not a path, device or stream, and no system would truncate it. */
export function isPlainName(name: string, platform: string = process.platform): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > 255 || /[/\\\0]/.test(name)) return false;
  return platform !== 'win32' || !(/[:*?"<>|\p{Cc}]|[. ]$/u.test(name) || windowsDevice.test(name));
}
