/** The app's own scheme and host. Standard and secure, as WebGPU asks of a page. */
export const appScheme = 'app';
const appHost = 'stria';
export const appOrigin = `${appScheme}://${appHost}`;
export const appPage = `${appOrigin}/index.html`;

/** The URL under which the protocol serves an opened file. */
export function fileUrl(id: string): string {
  return `${appOrigin}/file/${id}`;
}

/** A frame, as far as Electron and the check below are concerned. */
interface Frame {
  readonly url: string;
  readonly parent: unknown;
}

/** True for a top frame that shows the app's own page: from the scheme, or in development from the dev server. */
export function isAppFrame(frame: Frame | null, devServer: string | undefined): boolean {
  return frame !== null && frame.parent === null && isAppUrl(frame.url, devServer);
}

export function isAppUrl(url: string, devServer: string | undefined): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, origin } = new URL(url);
  // `origin` is 'null' for schemes that the URL parser of Node does not know.
  if (protocol === `${appScheme}:`) return host === appHost;
  return devServer !== undefined && origin === new URL(devServer).origin;
}
