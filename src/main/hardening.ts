import { app, type Session } from 'electron';
import { isAppUrl } from './app-origin.ts';

/** All that a page may be given: a full screen, and to put text on the clipboard ('Copy diagnostics'). */
const granted = new Set(['fullscreen', 'clipboard-sanitized-write']);

/** Denies permissions, devices, navigation, new windows and web views to everything that ever loads. */
export function harden(session: Session, devServer: string | undefined): void {
  session.setPermissionRequestHandler((contents, permission, answer) => {
    answer(granted.has(permission) && isAppUrl(contents.getURL(), devServer));
  });
  session.setPermissionCheckHandler((_, permission, origin) => granted.has(permission) && isAppUrl(origin, devServer));
  session.setDevicePermissionHandler(() => false);
  app.on('web-contents-created', (_, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => {
      // A reload of the page itself is a navigation to where it is.
      if (event.url !== contents.getURL()) event.preventDefault();
    });
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}
