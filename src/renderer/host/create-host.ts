import { browserHost } from './browser.ts';
import { electronHost } from './electron.ts';
import type { Host } from './host.ts';

/** The host of this page: Electron if preload has put its bridge on the window, else a browser. */
export function createHost(): Host {
  return window.stria === undefined ? browserHost() : electronHost(window.stria);
}
