// Files for desktops on Linux: small pictures in file managers, and the media types of Stria's files. The build writes them to
// out/share.

/** Media types that systems know, besides Stria's own. Other formats have none, or share one with unrelated files. */
const drawnTypes = ['application/x-stria', 'application/x-stria-session', 'application/dicom'];

/** An entry of the freedesktop thumbnail managers. `TryExec` hides it where the command is not installed. */
export function thumbnailer(): string {
  return [
    '[Thumbnailer Entry]',
    'TryExec=stria',
    'Exec=stria picture %i -o %o --size %s --quiet',
    `MimeType=${drawnTypes.join(';')};`,
    '',
  ].join('\n');
}

/** The shared-mime-info description of .stria and .stria-session. The magic bytes are those of docs/FORMAT.md. */
export function mediaTypes(): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-stria">
    <comment>Stria volume</comment>
    <glob pattern="*.stria"/>
    <magic><match type="string" offset="0" value="\\x89STRIA\\x0d\\x0a"/></magic>
  </mime-type>
  <mime-type type="application/x-stria-session">
    <comment>Stria session</comment>
    <sub-class-of type="application/json"/>
    <glob pattern="*.stria-session"/>
  </mime-type>
</mime-info>
`;
}
