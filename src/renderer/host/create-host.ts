import { browserHost } from './browser.ts';
import { electronHost } from './electron.ts';
import type { Host } from './host.ts';

/** The host that this page runs in: Electron where preload has put its bridge on the window, else a browser. */
export function createHost(): Host {
  return window.stria === undefined ? browserHost() : electronHost(window.stria);
}
