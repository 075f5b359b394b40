// The parts of the `electron` module that Stria's main process uses; see README.md. Messages to and from the test use the
// process's own channel: `tell` sends a message, `ask` also waits for an answer.
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';

const appOrigin = 'app://stria';
const userData = process.argv.find((argument) => argument.startsWith('--user-data-dir='))?.split('=')[1];
const packageFile = new URL('../../package.json', import.meta.url);

const tell = (message) => process.send?.(message);
const waiting = new Map();
let lastQuestion = 0;
function ask(message) {
  const question = ++lastQuestion;
  tell({ ...message, question });
  return new Promise((resolve) => waiting.set(question, resolve));
}

class Preventable {
  defaultPrevented = false;
  preventDefault() {
    this.defaultPrevented = true;
  }
}

/** Main's own protocol handlers, behind a loopback server. */
const protocolHandlers = new Map();
const server = createServer(async (request, response) => {
  const headers = new Headers();
  if (request.headers.range) headers.set('range', request.headers.range);
  const handler = protocolHandlers.get('app');
  const answer = await handler(new Request(`${appOrigin}${request.url}`, { method: request.method, headers }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else
    Readable.fromWeb(answer.body)
      .on('error', () => response.destroy())
      .pipe(response);
});
const listening = new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

class App extends EventEmitter {
  isPackaged = false;
  isQuitting = false;
  setName() {}
  getVersion() {
    return JSON.parse(readFileSync(packageFile, 'utf8')).version;
  }
  getPath(name) {
    return name === 'userData' ? userData : join(userData, name);
  }
  requestSingleInstanceLock() {
    return true;
  }
  async whenReady() {
    await listening;
  }
  setAppUserModelId() {}
  addRecentDocument() {}
  clearRecentDocuments() {}
  relaunch({ args }) {
    tell({ type: 'relaunch', args });
  }
  /** Like Electron, stops quitting if a window does not close. */
  quit() {
    this.emit('before-quit', new Preventable());
    this.isQuitting = true;
    for (const window of BrowserWindow.all) window.close();
    this.isQuitting = false;
    if (BrowserWindow.all.size > 0) return;
    const event = new Preventable();
    this.emit('will-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  }
  exit(code) {
    server.close();
    process.exit(code);
  }
}
export const app = new App();

class WebContents extends EventEmitter {
  mainFrame = { url: 'about:blank', parent: null };
  constructor(id) {
    super();
    this.id = id;
  }
  getURL() {
    return this.mainFrame.url;
  }
  send(channel, ...args) {
    tell({ type: 'send', contentsId: this.id, channel, args });
  }
  setWindowOpenHandler() {}
  reload() {
    tell({ type: 'reload', contentsId: this.id });
  }
}

export class BrowserWindow extends EventEmitter {
  static all = new Set();
  static lastId = 0;
  #options;
  #destroyed = false;
  constructor(options) {
    super();
    this.#options = options;
    this.webContents = new WebContents(++BrowserWindow.lastId);
    BrowserWindow.all.add(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
  async loadURL(url) {
    await listening;
    const preload = readFileSync(this.#options.webPreferences.preload, 'utf8');
    const origin = `http://127.0.0.1:${server.address().port}`;
    tell({ type: 'load', contentsId: this.webContents.id, url, appOrigin, origin, preload });
  }
  close() {
    const event = new Preventable();
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }
  destroy() {
    if (this.#destroyed) return;
    this.#destroyed = true;
    BrowserWindow.all.delete(this);
    this.emit('closed');
    if (BrowserWindow.all.size === 0 && !app.isQuitting) app.emit('window-all-closed');
  }
  isDestroyed() {
    return this.#destroyed;
  }
  getNormalBounds() {
    return { x: 0, y: 0, width: this.#options.width, height: this.#options.height };
  }
  isMaximized() {
    return false;
  }
  isMinimized() {
    return false;
  }
  show() {}
  focus() {}
  restore() {}
  maximize() {}
  setRepresentedFilename() {}
}

const callHandlers = new Map();
export const ipcMain = { handle: (channel, handler) => callHandlers.set(channel, handler) };

const askTest =
  (kind) =>
  (...args) => {
    // The window is the first argument, if there is one.
    const { cancelId = 0, message, detail } = args.at(-1);
    return ask({ type: 'dialog', kind, cancelId, message, detail });
  };
export const dialog = {
  showOpenDialog: askTest('open'),
  showSaveDialog: askTest('save'),
  showMessageBox: askTest('message'),
};

export const Menu = {
  buildFromTemplate: (template) => template,
  setApplicationMenu(template) {
    Menu.items = template;
  },
  getApplicationMenu: () => ({ getMenuItemById: (id) => findItem(Menu.items, id) ?? null }),
};
function findItem(template, id) {
  for (const item of template) {
    const found = item.id === id ? item : Array.isArray(item.submenu) ? findItem(item.submenu, id) : undefined;
    if (found) return found;
  }
  return undefined;
}

export const protocol = {
  registerSchemesAsPrivileged() {},
  handle: (scheme, handler) => protocolHandlers.set(scheme, handler),
};
export const session = {
  defaultSession: {
    setPermissionRequestHandler() {},
    setPermissionCheckHandler() {},
    setDevicePermissionHandler() {},
    on() {},
    webRequest: { onBeforeRequest() {} },
  },
};
const display = { workArea: { x: 0, y: 0, width: 1920, height: 1080 } };
export const screen = { getPrimaryDisplay: () => display, getAllDisplays: () => [display] };
export const nativeTheme = { shouldUseDarkColors: true };
export const shell = { showItemInFolder: (path) => tell({ type: 'show-item', path }) };

/** Messages from the test and its pages. */
const receive = {
  answer({ question, value }) {
    waiting.get(question)?.(value);
    waiting.delete(question);
  },
  async invoke({ question, contentsId, channel, args, frame }) {
    const window = [...BrowserWindow.all].find(({ webContents }) => webContents.id === contentsId);
    const event = { sender: window?.webContents, senderFrame: frame };
    tell({ type: 'answer', question, value: await callHandlers.get(channel)(event, ...args) });
  },
  page({ contentsId, event, url }) {
    const window = [...BrowserWindow.all].find(({ webContents }) => webContents.id === contentsId);
    if (window === undefined) return;
    window.webContents.mainFrame.url = url;
    window.webContents.emit(event, {});
    if (event === 'did-finish-load') window.emit('ready-to-show');
  },
  'click-menu': ({ id }) => findItem(Menu.items, id).click(),
  'second-instance': ({ data }) => app.emit('second-instance', {}, [], '', data),
  quit: () => app.quit(),
};
process.on('message', (message) => receive[message.type](message));
process.on('disconnect', () => process.exit(0));
