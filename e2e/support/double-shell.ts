import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { basename, resolve } from 'node:path';
import type { BrowserContext, Frame } from 'playwright/test';
import { withPreload } from '../electron-double/preload-shim.mjs';
import { type DialogQueues, emptyQueues, type Shell } from './shell.ts';

interface LoadMessage {
  readonly type: 'load';
  readonly contentsId: number;
  readonly url: string;
  readonly appOrigin: string;
  readonly origin: string;
  readonly preload: string;
}
interface DialogMessage {
  readonly type: 'dialog';
  readonly question: number;
  readonly kind: 'open' | 'save' | 'message';
  readonly cancelId: number;
  readonly message: string;
  readonly detail?: string;
}
type Message =
  | LoadMessage
  | DialogMessage
  | { readonly type: 'answer'; readonly question: number; readonly value: unknown }
  | { readonly type: 'send'; readonly channel: string; readonly args: readonly unknown[] }
  | { readonly type: 'show-item'; readonly path: string }
  | { readonly type: 'reload' }
  | { readonly type: 'relaunch'; readonly args: readonly string[] };

/** Opens main's real bundle on the double of `electron`, with a Chromium page as its window. */
export async function openDouble(context: BrowserContext, userData: string, launchArguments: readonly string[]): Promise<Shell> {
  const page = await context.newPage();
  const queues = emptyQueues();
  const main = startMain(userData, launchArguments);
  const calls = new Map<number, (value: unknown) => void>();
  let lastCall = 0;
  /** Translates main's URLs to those of the page. */
  let toPage = <T>(value: T): T => value;

  const load = async (message: LoadMessage): Promise<void> => {
    const toApp = (url: string) => (url.startsWith(message.origin) ? message.appOrigin + url.slice(message.origin.length) : url);
    toPage = (value) => replaceIn(value, message.appOrigin, message.origin) as typeof value;
    const tellPage = (event: string) =>
      main.send({ type: 'page', contentsId: message.contentsId, event, url: toApp(page.url()) });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) tellPage('did-navigate');
    });
    page.on('load', () => tellPage('did-finish-load'));
    await page.exposeBinding('striaDoubleInvoke', async ({ frame }, channel: string, args: readonly unknown[]) => {
      const question = ++lastCall;
      const answer = new Promise<unknown>((answered) => calls.set(question, answered));
      main.send({ type: 'invoke', question, contentsId: message.contentsId, channel, args, frame: senderFrame(frame, toApp) });
      return toPage(await answer);
    });
    await page.addInitScript({ content: withPreload(message.preload) });
    await page.goto(`${message.url.replace(message.appOrigin, message.origin)}?debug`);
  };

  const loaded = new Promise<void>((done, failed) => {
    main.once('exit', (code) => failed(new Error(`main ended with exit code ${code} before its page had loaded`)));
    main.on('message', (message: Message) => {
      switch (message.type) {
        case 'load':
          load(message).then(done, failed);
          break;
        case 'dialog':
          main.send({ type: 'answer', question: message.question, value: answerDialog(message, queues) });
          break;
        case 'answer':
          calls.get(message.question)?.(message.value);
          calls.delete(message.question);
          break;
        case 'send':
          void page.evaluate(receiveInPage, [message.channel, toPage(message.args)] as const);
          break;
        case 'show-item':
          queues.shown.push(message.path);
          break;
        case 'reload':
          void page.reload();
          break;
        case 'relaunch':
          break;
      }
    });
  });
  await loaded;

  return {
    kind: 'electron double',
    page,
    async chooseOpen(paths) {
      queues.open.push(paths);
    },
    async chooseSave(path) {
      queues.save.push(path);
    },
    async chooseButton(index) {
      queues.buttons.push(index);
    },
    messages: async () => queues.messages,
    shownItems: async () => queues.shown,
    async beforeDrop(paths) {
      const byName = Object.fromEntries(paths.map((path) => [basename(path), path]));
      await page.evaluate((dropped) => Object.assign(window, { striaDoubleDropped: dropped }), byName);
    },
    async openArgument(path) {
      main.send({ type: 'second-instance', data: { files: [resolve(path)] } });
    },
    async clickMenu(id) {
      main.send({ type: 'click-menu', id });
    },
    async quit() {
      main.send({ type: 'quit' });
    },
    async close() {
      await page.close();
      if (main.exitCode !== null) return;
      // 'Close' is the first button of the question about unfinished work.
      queues.buttons.splice(0, Number.POSITIVE_INFINITY, 0);
      const ended = once(main, 'exit');
      main.send({ type: 'quit' });
      await ended;
    },
  };
}

function startMain(userData: string, launchArguments: readonly string[]): ChildProcess {
  const register = new URL('../electron-double/register.mjs', import.meta.url).href;
  return fork(resolve('out/main/index.js'), [`--user-data-dir=${userData}`, ...launchArguments], {
    execArgv: ['--import', register],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Describes a message's frame as Electron does. */
function senderFrame(frame: Frame, toApp: (url: string) => string): { url: string; parent: object | null } {
  return { url: toApp(frame.url()), parent: frame.parentFrame() === null ? null : {} };
}

function answerDialog({ kind, cancelId, message, detail }: DialogMessage, queues: DialogQueues): object {
  if (kind === 'message') queues.messages.push({ message, ...(detail === undefined ? {} : { detail }) });
  if (kind === 'message') return { response: queues.buttons.shift() ?? cancelId, checkboxChecked: false };
  if (kind === 'open') {
    const filePaths = queues.open.shift() ?? [];
    return { canceled: filePaths.length === 0, filePaths };
  }
  const filePath = queues.save.shift();
  return { canceled: filePath === undefined, filePath: filePath ?? '' };
}

/** Runs in the page. */
function receiveInPage([channel, args]: readonly [string, readonly unknown[]]): void {
  const page = window as unknown as { striaDoubleReceive(channel: string, args: readonly unknown[]): void };
  page.striaDoubleReceive(channel, args);
}

/** Replaces one origin with another in all texts of a value. */
function replaceIn(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.startsWith(from) ? to + value.slice(from.length) : value;
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, from, to));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, from, to)]));
}
