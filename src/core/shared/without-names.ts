import { readableEndings } from './readable-formats.ts';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const endings = [...readableEndings, 'stria', 'stria-session', 'json', 'csv', 'txt', 'raw', 'img'];
const quoted = /(?<!\w)'[^'\n]+'(?!\w)|"[^"\n]+"|‘[^’\n]+’|“[^”\n]+”/g;
/** A part of Stria itself, in a stack trace. */
const ownCode = /\b[a-z]+:\/\/\S*?\/(assets\/[\w.-]+\.(?:js|css|wasm)(?::\d+){0,2})/g;
const address = /\b(?!own:)[a-z][a-z0-9+.-]*:\/\/[^\s)]+/gi;
const ending = `\\.(?:${endings.map(escaped).join('|')})\\b`;
/** A path up to the last file ending on its line, since folder names may contain any character; without an ending, up to a character that is unlikely in a name. */
const restOfPath = `(?:[^\\n]*${ending}|(?:[^\\n]*[\\\\/])?[^\\n":<>|]*)`;
const windowsPath = new RegExp(`(?:\\b[a-z]:[\\\\/]|\\\\\\\\)${restOfPath}`, 'gi');
const unixPath = new RegExp(`(?<![\\w<>:/.])~?/(?=[^\\s/])${restOfPath}`, 'gi');
/** A file name with all words before it, since a name may have several words. */
const fileName = new RegExp(`(^|[\\n:>])( *)[^\\n:<>]*${ending}`, 'gi');

/**
 * Removes from a message everything that may identify a person: file names, paths, addresses and quoted text. It removes too much
 * rather than too little. Code positions in Stria's own files stay.
 * @param names further texts to remove
 */
export function withoutNames(text: string, names: readonly string[] = []): string {
  const longestFirst = [...new Set(names)].filter((name) => name.trim().length > 1).sort((a, b) => b.length - a.length);
  const named = longestFirst.reduce((rest, name) => rest.replaceAll(name, '<name>'), text);
  return named
    .replace(ownCode, 'own://$1')
    .replace(address, '<address>')
    .replace(quoted, '<name>')
    .replace(windowsPath, '<path>')
    .replace(unixPath, '<path>')
    .replace(/own:\/\/(\S+)/g, (_, place: string) => place.replaceAll('.', '\u0000'))
    .replace(fileName, '$1$2<name>')
    .replaceAll('\u0000', '.');
}
