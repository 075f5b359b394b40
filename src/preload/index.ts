import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { EventName, Events, StriaBridge } from '../core/shared/ipc.ts';

type Listeners = { [Name in EventName]: Set<(event: Events[Name]) => void> };
type Waiting = { [Name in EventName]: Events[Name][] };

const listeners: Listeners = { 'menu-command': new Set(), 'files-opened': new Set() };
/** Events that arrived before the page listened. File arguments are sent as soon as the page has loaded. */
const waiting: Waiting = { 'menu-command': [], 'files-opened': [] };

ipcRenderer.on('stria:event', (_, name: EventName, event: Events[EventName]) => deliver(name, event));

function deliver<Name extends EventName>(name: Name, event: Events[Name]): void {
  if (listeners[name].size === 0) waiting[name].push(event);
  for (const listener of listeners[name]) listener(event);
}

function subscribe<Name extends EventName>(name: Name, listener: (event: Events[Name]) => void): () => void {
  if (!Object.hasOwn(listeners, name)) throw new Error('There is no such event');
  listeners[name].add(listener);
  for (const event of waiting[name].splice(0)) listener(event);
  return () => void listeners[name].delete(listener);
}

const bridge: StriaBridge = {
  call: (name, ...args) => ipcRenderer.invoke('stria:call', name, ...args),
  on: subscribe,
  // Only preload and main see the path; the page gets an id.
  openDropped: (file) => ipcRenderer.invoke('stria:open-dropped', webUtils.getPathForFile(file)),
};

contextBridge.exposeInMainWorld('stria', bridge);
