import type { App, Session } from 'electron';
import { isAppUrl } from './app-origin.ts';

/** All permissions that a page may have: full screen, and writing text to the clipboard for 'Copy diagnostics'. */
const granted = new Set(['fullscreen', 'clipboard-sanitized-write']);

/** All URLs on the network. The page comes from app://. */
const network = ['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*'];

/**
 * Denies permissions, devices, downloads, the network, navigation, new windows and web views to everything that is loaded.
 * Electron selects no USB, HID, serial or Bluetooth device and rejects screen capture as long as nothing listens for them.
 */
export function harden(app: Pick<App, 'on'>, session: Session, devServer: string | undefined): void {
  session.setPermissionRequestHandler((contents, permission, answer) => {
    answer(granted.has(permission) && isAppUrl(contents.getURL(), devServer));
  });
  session.setPermissionCheckHandler((_, permission, origin) => granted.has(permission) && isAppUrl(origin, devServer));
  session.setDevicePermissionHandler(() => false);
  // The page saves through main, which asks the user where.
  session.on('will-download', (event) => event.preventDefault());
  // Hot reload in development needs the network.
  if (devServer === undefined) session.webRequest.onBeforeRequest({ urls: network }, (_, answer) => answer({ cancel: true }));
  app.on('web-contents-created', (_, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-frame-navigate', (event) => {
      // Reloading the page is a navigation to its own URL. There are no other frames.
      if (!event.isMainFrame || event.url !== contents.getURL()) event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}
