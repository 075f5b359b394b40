/** The app's own scheme and host. The scheme is standard and secure, as WebGPU requires. */
export const appScheme = 'app';
const appHost = 'stria';
const appOrigin = `${appScheme}://${appHost}`;
export const appPage = `${appOrigin}/index.html`;

/** The URL under which the protocol serves an opened file, or lists an opened folder. */
export function fileUrl(id: string, kind: 'file' | 'folder' = 'file'): string {
  return `${appOrigin}/${kind}/${id}`;
}

/** The URL under which the protocol relays requests to web addresses. The encoded address follows it. */
export const relayUrl = `${appOrigin}/address?url=`;

/** The part of a frame that the check below needs. */
interface Frame {
  readonly url: string;
  readonly parent: unknown;
}

/** Whether a frame is a top frame with the app's own page: from the scheme, or in development from the dev server. */
export function isAppFrame(frame: Frame | null, devServer: string | undefined): boolean {
  return frame !== null && frame.parent === null && isAppUrl(frame.url, devServer);
}

export function isAppUrl(url: string, devServer: string | undefined): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, origin } = new URL(url);
  // For schemes that Node's URL parser does not know, `origin` is 'null'.
  if (protocol === `${appScheme}:`) return host === appHost;
  return devServer !== undefined && origin === new URL(devServer).origin;
}
