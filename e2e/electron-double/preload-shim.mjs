/**
 * Preload's script with the parts of the `electron` module that it uses, as text to run in a page before its own scripts.
 * The test gives the page `striaDoubleInvoke`, calls `striaDoubleReceive`, and sets `striaDoubleDropped` (name to path)
 * before it drops files, because a page cannot know a File's path.
 * @param {string} preload
 */
export function withPreload(preload) {
  return `(() => {
  if (window.top !== window) return;
  const listeners = new Map();
  window.striaDoubleReceive = (channel, args) => listeners.get(channel)?.({}, ...args);
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: Object.freeze(api), enumerable: true }),
    },
    ipcRenderer: {
      invoke: (channel, ...args) => window.striaDoubleInvoke(channel, args),
      on: (channel, listener) => listeners.set(channel, listener),
    },
    webUtils: { getPathForFile: (file) => window.striaDoubleDropped?.[file.name] ?? '' },
  };
  const module = { exports: {} };
  ((require, module, exports) => {
${preload}
  })(() => electron, module, module.exports);
})();`;
}
