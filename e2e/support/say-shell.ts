import { findElectron } from '../../scripts/electron-files.mjs';

/** Prints what `desktop` runs on before the first test: Electron or its double. */
export default function sayShell(): void {
  const binary = findElectron();
  const line = '='.repeat(100);
  const text =
    binary === undefined
      ? "project desktop runs on the TEST DOUBLE of the electron module, in Chromium: Electron's binary is not installed.\n" +
        'The main and preload bundles are the real ones. What is not covered so: e2e/electron-double/README.md'
      : `project desktop runs on REAL ELECTRON: ${binary}`;
  console.log(`${line}\n${text}\n${line}`);
}
