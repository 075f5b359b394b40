import { app } from 'electron';

const hasList = process.platform === 'darwin' || process.platform === 'win32';

/** The system's list of recent documents: the dock's menu on macOS, the jump list on Windows. */
export const systemRecent = {
  add(path: string): void {
    if (hasList) app.addRecentDocument(path);
  },
  clear(): void {
    if (hasList) app.clearRecentDocuments();
  },
};
