import { readableEndings } from './readable-formats.ts';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const endings = [...readableEndings, 'stria', 'stria-session', 'json', 'csv', 'txt', 'raw', 'img'];
const quoted = /(?<!\w)'[^'\n]+'(?!\w)|"[^"\n]+"|‘[^’\n]+’|“[^”\n]+”/g;
/** A part of Stria itself, in a stack trace. */
const ownCode = /\b[a-z]+:\/\/\S*?\/(assets\/[\w.-]+\.(?:js|css|wasm)(?::\d+){0,2})/g;
const address = /\b(?!own:)[a-z][a-z0-9+.-]*:\/\/[^\s)]+/gi;
const ending = `\\.(?:${endings.map(escaped).join('|')})\\b`;
/** Up to the last ending of its line, since folders may have any character; without one up to what is hardly part of a name. */
const restOfPath = `(?:[^\\n]*${ending}|(?:[^\\n]*[\\\\/])?[^\\n":<>|]*)`;
const windowsPath = new RegExp(`(?:\\b[a-z]:[\\\\/]|\\\\\\\\)${restOfPath}`, 'gi');
const unixPath = new RegExp(`(?<![\\w<>:/.])~?/(?=[^\\s/])${restOfPath}`, 'gi');
/** With all words before it: a name may have several. */
const fileName = new RegExp(`(^|[\\n:>])( *)[^\\n:<>]*${ending}`, 'gi');

/**
 * A message without what may tell who a person is: file names, paths, addresses, and whatever it quotes. Rather too much is left out
 * than too little. Code positions in Stria's own files stay.
 * @param names what else to leave out
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
