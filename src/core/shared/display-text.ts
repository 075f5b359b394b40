/**
 * Characters that a terminal obeys or that show nothing: control characters (of ASCII, DEL, C1), marks of writing direction and
 * other invisible format characters, lone surrogates, line and paragraph separators.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text from a file or a file's name, as people may see it: invisible characters are written out (`\u001b`), so that none of them
 * moves the cursor, starts a line of its own or turns the text around.
 */
export function displayText(text: string): string {
  return text.replace(invisible, escaped);
}

/** As `displayText`, for texts of several lines: their line breaks stay. Names that stand in them need `displayText` themselves. */
export function displayLines(text: string): string {
  return text.replace(invisible, (character) => (character === '\n' ? character : escaped(character)));
}

/** JSON of several lines that holds no invisible character; it means the same. */
export function displayJson(json: string): string {
  const units = (character: string) => character.split('').map(escaped).join('');
  return json.replace(invisible, (character) => (character === '\n' ? character : units(character)));
}

function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
