/**
 * Characters that control a terminal or are invisible: control characters (ASCII, DEL, C1), marks of writing direction and
 * other invisible format characters, lone surrogates, line and paragraph separators.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a text or file name from a file safe to display: invisible characters are escaped (`\u001b`), so that none of them
 * moves the cursor, starts a line or reverses the text.
 */
export function displayText(text: string): string {
  return text.replace(invisible, escaped);
}

/** Like `displayText`, for text of several lines: their line breaks stay. Names inside the text need `displayText` of their own. */
export function displayLines(text: string): string {
  return text.replace(invisible, (character) => (character === '\n' ? character : escaped(character)));
}

/** Escapes the invisible characters in JSON of several lines, without changing its meaning. */
export function displayJson(json: string): string {
  const units = (character: string) => character.split('').map(escaped).join('');
  return json.replace(invisible, (character) => (character === '\n' ? character : units(character)));
}

function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
