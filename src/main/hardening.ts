import { app, type Session } from 'electron';
import { isAppUrl } from './app-origin.ts';

/** All permissions that a page may have: full screen, and writing text to the clipboard for 'Copy diagnostics'. */
const granted = new Set(['fullscreen', 'clipboard-sanitized-write']);

/** Denies permissions, devices, navigation, new windows and web views to everything that is ever loaded. */
export function harden(session: Session, devServer: string | undefined): void {
  session.setPermissionRequestHandler((contents, permission, answer) => {
    answer(granted.has(permission) && isAppUrl(contents.getURL(), devServer));
  });
  session.setPermissionCheckHandler((_, permission, origin) => granted.has(permission) && isAppUrl(origin, devServer));
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => {
      // Reloading the page is a navigation to its own URL.
      if (event.url !== contents.getURL()) event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}
