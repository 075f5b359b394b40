import type { MessageBoxOptions } from 'electron';
import { expect, test } from 'vitest';
import type { ShellSettings } from './settings.ts';
import { createUpdates, type Updater } from './updates.ts';

type Result = Awaited<ReturnType<Updater['checkForUpdates']>>;

function setUp({
  result,
  answers = [],
  updateChecks = false,
}: {
  result: () => Result;
  answers?: number[];
  updateChecks?: boolean;
}) {
  const log: string[] = [];
  let hasQuitHandler = false;
  const updater: Updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    checkForUpdates: async () => {
      log.push(`check, downloads by itself: ${updater.autoDownload}, installs by itself: ${updater.autoInstallOnAppQuit}`);
      return result();
    },
    downloadUpdate: async () => {
      log.push('download');
      // As BaseUpdater.addQuitHandler of electron-updater.
      hasQuitHandler ||= updater.autoInstallOnAppQuit;
    },
    quitAndInstall: () => log.push('install'),
  };
  let settings: ShellSettings = { compatibilityMode: false, updateChecks, window: undefined };
  const store = {
    get: () => settings,
    change: (part: Partial<ShellSettings>) => {
      settings = { ...settings, ...part };
    },
  };
  const ask = async ({ message, buttons }: MessageBoxOptions) => {
    log.push(message);
    return answers.shift() ?? (buttons?.length ?? 1) - 1;
  };
  const updates = createUpdates({ version: '0.1.0', settings: store, loadUpdater: async () => updater, ask });
  return { updates, log, installsOnQuit: () => hasQuitHandler && updater.autoInstallOnAppQuit };
}

const newer = () => ({ isUpdateAvailable: true, updateInfo: { version: '0.2.0\u202e' } });
const looked = 'check, downloads by itself: false, installs by itself: false';

test('nothing is downloaded and nothing installed without a yes', async () => {
  const later = setUp({ result: newer });
  await later.updates.check();
  expect(later.log).toEqual([looked, 'Stria 0.2.0\ufffd is available']);

  const onQuit = setUp({ result: newer, answers: [0, 1] });
  await onQuit.updates.check();
  expect(onQuit.log).toEqual([looked, 'Stria 0.2.0\ufffd is available', 'download', 'Install Stria 0.2.0\ufffd now?']);
  expect(onQuit.installsOnQuit()).toBe(true);

  const now = setUp({ result: newer, answers: [0, 0] });
  await now.updates.check();
  expect(now.log.at(-1)).toBe('install');
  expect(now.installsOnQuit()).toBe(false);
});

test('a version that is to be installed on quitting stays so when a later check ends with no', async () => {
  const { updates, installsOnQuit } = setUp({ result: newer, answers: [0, 1, 1] });
  await updates.check();
  await updates.check();
  expect(installsOnQuit()).toBe(true);
});

test('at the start it looks only if that was turned on, and shows only a new version', async () => {
  const off = setUp({ result: newer });
  await off.updates.checkAtStart();
  expect(off.log).toEqual([]);

  const on = setUp({ result: newer, updateChecks: true });
  await on.updates.checkAtStart();
  expect(on.log).toEqual([looked, 'Stria 0.2.0\ufffd is available']);

  const offline = () => {
    throw new Error('net::ERR_INTERNET_DISCONNECTED');
  };
  for (const result of [() => null, () => ({ ...newer(), isUpdateAvailable: false }), offline]) {
    const { updates, log } = setUp({ result, updateChecks: true });
    await updates.checkAtStart();
    expect(log).toEqual([looked]);
  }
});

test('a manual check says that there is nothing new, or why it failed; a second one meanwhile returns at once', async () => {
  const none = setUp({ result: () => ({ ...newer(), isUpdateAvailable: false }) });
  await Promise.all([none.updates.check(), none.updates.check()]);
  expect(none.log).toEqual([looked, 'Stria is up to date']);

  // A portable app or a flatpak cannot be updated.
  const fixed = setUp({ result: () => null });
  await fixed.updates.check();
  expect(fixed.log).toEqual([looked, 'This copy of Stria cannot update itself']);

  const failing = setUp({
    result: () => {
      throw new Error('offline');
    },
  });
  await failing.updates.check();
  expect(failing.log).toEqual([looked, 'Stria could not be updated']);
});
