import { EventEmitter } from 'node:events';
import type { Session, WebContents } from 'electron';
import { expect, test, vi } from 'vitest';
import { harden } from './hardening.ts';
import { pagePreferences } from './page-preferences.ts';

const page = 'app://stria/index.html';

/** A fake of Electron's session, which records what main sets, and of a page's web contents. */
function hardened(devServer?: string) {
  type Handler = (...args: unknown[]) => unknown;
  const set: Record<string, Handler> = {};
  let blocked: readonly string[] = [];
  const session = Object.assign(new EventEmitter(), {
    setPermissionRequestHandler: (handler: Handler) => Object.assign(set, { request: handler }),
    setPermissionCheckHandler: (handler: Handler) => Object.assign(set, { check: handler }),
    setDevicePermissionHandler: (handler: Handler) => Object.assign(set, { device: handler }),
    webRequest: {
      onBeforeRequest(filter: { urls: readonly string[] }, handler: Handler) {
        blocked = filter.urls;
        set.network = handler;
      },
    },
  });
  const app = new EventEmitter();
  harden(app as unknown as Parameters<typeof harden>[0], session as unknown as Session, devServer);
  const contents = Object.assign(new EventEmitter(), {
    getURL: () => page,
    setWindowOpenHandler: (handler: Handler) => Object.assign(set, { open: handler }),
  });
  app.emit('web-contents-created', {}, contents);
  /** Whether main prevents an event with these properties. */
  const prevents = (emitter: EventEmitter, name: string, event: object = {}) => {
    const preventDefault = vi.fn();
    emitter.emit(name, { ...event, preventDefault });
    return preventDefault.mock.calls.length > 0;
  };
  return { set, session, contents, prevents, blocked: () => blocked };
}

test('a page gets two permissions, and only on the app’s own origin', () => {
  const { set } = hardened();
  const permissions = [
    'fullscreen',
    'clipboard-sanitized-write',
    'media',
    'display-capture',
    'fileSystem',
    'usb',
    'openExternal',
  ];
  const requested = (permission: string, url: string) => {
    const answer = vi.fn();
    set.request?.({ getURL: () => url } as WebContents, permission, answer);
    return answer.mock.lastCall?.[0];
  };
  expect(permissions.filter((permission) => requested(permission, page))).toEqual(['fullscreen', 'clipboard-sanitized-write']);
  expect(permissions.filter((permission) => set.check?.(null, permission, 'app://stria'))).toEqual([
    'fullscreen',
    'clipboard-sanitized-write',
  ]);
  for (const url of ['https://example.org/', 'app://other/index.html', '', 'file:///index.html']) {
    expect([requested('fullscreen', url), set.check?.(null, 'fullscreen', url)], url).toEqual([false, false]);
  }
  expect(set.device?.({ deviceType: 'usb' })).toBe(false);
});

test('nothing navigates, opens windows, attaches web views or downloads', () => {
  const { set, session, contents, prevents } = hardened();
  expect(set.open?.({ url: page })).toEqual({ action: 'deny' });
  for (const url of ['https://example.org/', 'app://stria/other.html', 'file:///etc/passwd', 'javascript:0'])
    expect(prevents(contents, 'will-frame-navigate', { url, isMainFrame: true }), url).toBe(true);
  expect(prevents(contents, 'will-frame-navigate', { url: page, isMainFrame: true })).toBe(false);
  expect(prevents(contents, 'will-frame-navigate', { url: page, isMainFrame: false })).toBe(true);
  expect(prevents(contents, 'will-redirect')).toBe(true);
  expect(prevents(contents, 'will-attach-webview')).toBe(true);
  expect(prevents(session, 'will-download')).toBe(true);
});

test('requests to the network are cancelled, except in development', () => {
  const { set, blocked } = hardened();
  const answer = vi.fn();
  set.network?.({ url: 'https://example.org/' }, answer);
  expect(answer.mock.calls).toEqual([[{ cancel: true }]]);
  expect(blocked()).toEqual(['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*']);
  expect(hardened('http://localhost:5173').set.network).toBeUndefined();
});

test('the page has no more than a page in a browser', () => {
  const { sandbox, contextIsolation, webSecurity, ...denied } = pagePreferences;
  expect([sandbox, contextIsolation, webSecurity]).toEqual([true, true, true]);
  expect(Object.entries(denied).filter(([, isAllowed]) => isAllowed)).toEqual([]);
  expect(Object.keys(denied)).toEqual(expect.arrayContaining(['nodeIntegration', 'nodeIntegrationInWorker', 'webviewTag']));
});
