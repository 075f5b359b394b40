import { createHash } from 'node:crypto';
import { displayText } from '../../core/shared/display-text.ts';
import { formatBytes } from '../terminal/text.ts';
import type { Listing } from './folder-listing.ts';

const style = `
:root { color-scheme: dark; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.5rem; background: #121416; color: #d8dce0; font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; font-weight: 600; margin: 0 0 1rem; overflow-wrap: anywhere; }
a { color: #7db7ff; text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.35rem 1rem 0.35rem 0; border-bottom: 1px solid #24282c; vertical-align: top; }
th { color: #8b949c; font-weight: 500; }
.number { text-align: right; white-space: nowrap; }
td.note, p { color: #8b949c; }
td:first-child { overflow-wrap: anywhere; }
`;

/** The page has no scripts and loads nothing. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface PageFacts {
  /** The title of the first page: the name of the served folder. */
  readonly title: string;
  /** This page's folder, relative to the served one. */
  readonly names: readonly string[];
  readonly listing: Listing;
  /** Whether the web app is installed and can open volumes. */
  readonly hasApp: boolean;
}

/** The page of a folder. All its links are relative, so that it works below any path. */
export function folderPage({ title, names, listing, hasApp }: PageFacts): string {
  const up = '../'.repeat(names.length + (names.length > 0 ? 1 : 0));
  const below = names.map((name) => `${encodeURIComponent(name)}/`).join('');
  const crumbs = [title, ...names].map((name, at, all) => {
    const steps = all.length - 1 - at;
    if (steps === 0) return escaped(name);
    return `<a href="${at === 0 ? up || './' : '../'.repeat(steps)}">${escaped(name)}</a>`;
  });
  const folderRows = listing.folders.map((name) => {
    const href = `${names.length === 0 ? 'folder/' : ''}${encodeURIComponent(name)}/`;
    return `<tr><td><a href="${href}">${escaped(name)}/</a></td><td></td><td></td><td></td><td></td></tr>`;
  });
  const volumeRows = listing.volumes.map(({ name, bytes, shape, type, note }) => {
    const file = `files/${below}${encodeURIComponent(name)}`;
    const open = hasApp ? `<a href="${up}app/?url=${encodeURIComponent(`../${file}`)}">${escaped(name)}</a>` : escaped(name);
    const size = bytes === undefined ? '' : escaped(formatBytes(bytes));
    const last = bytes === undefined ? 'folder' : `<a href="${up}${file}" download>Download</a>`;
    const what = note === undefined ? `<td>${escaped(shape ?? '')}</td>` : `<td class="note">${escaped(note)}</td>`;
    return `<tr><td>${open}</td>${what}<td>${escaped(type ?? '')}</td><td class="number">${size}</td><td>${last}</td></tr>`;
  });
  const rows = [...folderRows, ...volumeRows];
  const notes = [
    ...(rows.length === 0 ? ['This folder holds no volumes that Stria reads.'] : []),
    ...(listing.more > 0 ? [`${listing.more} further entries are not shown.`] : []),
    ...(hasApp ? [] : ['The web app is not installed beside this command, so volumes can only be downloaded.']),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped([title, ...names].at(-1) ?? title)} – Stria</title>
<style>${style}</style>
</head>
<body>
<h1>${crumbs.join(' / ')}</h1>
${rows.length === 0 ? '' : `<table>\n<thead><tr><th>Name</th><th>Shape</th><th>Type</th><th class="number">Size</th><th></th></tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`}
${notes.map((note) => `<p>${note}</p>`).join('\n')}
</body>
</html>
`;
}

function escaped(text: string): string {
  return displayText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
