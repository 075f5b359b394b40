import type { MessageBoxOptions } from 'electron';
import { noUpdate, noUpdater, updateFailure, updateQuestion, updateReady } from './dialogs.ts';
import type { SettingsStore } from './settings.ts';

/** What is used of electron-updater. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  /** @returns null if this kind of package cannot be updated */
  checkForUpdates(): Promise<{ readonly isUpdateAvailable: boolean; readonly updateInfo: { readonly version: string } } | null>;
  downloadUpdate(): Promise<unknown>;
  quitAndInstall(): void;
}

export interface Updates {
  /** Looks for a new version, and says what it finds. Never rejects. */
  check(): Promise<void>;
  /** At the start of the app: as `check`, if the person turned it on, and only says something about a new version. Never rejects. */
  checkAtStart(): Promise<void>;
}

export interface UpdatesOptions {
  /** The version that runs. */
  readonly version: string;
  readonly settings: SettingsStore;
  /** Loads electron-updater, which takes a moment. */
  readonly loadUpdater: () => Promise<Updater>;
  /** Shows a message. @returns the number of the button that was pressed */
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
}

/** Updates of the installed app. Nothing is downloaded, and nothing is installed, before the person agrees. */
export function createUpdates({ version, settings, loadUpdater, ask }: UpdatesOptions): Updates {
  let isBusy = false;

  const run = async (isAsked: boolean): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const updater = await loadUpdater();
      updater.autoDownload = false;
      updater.autoInstallOnAppQuit = false;
      const result = await updater.checkForUpdates();
      if (!result?.isUpdateAvailable) {
        if (isAsked) await ask(result === null ? noUpdater(version) : noUpdate(version));
        return;
      }
      const found = result.updateInfo.version;
      if ((await ask(updateQuestion(version, found))) !== 0) return;
      await updater.downloadUpdate();
      if ((await ask(updateReady(found))) === 0) updater.quitAndInstall();
      else updater.autoInstallOnAppQuit = true;
    } catch (error) {
      // At the start there may be no network, which is nothing to complain about.
      if (isAsked) await ask(updateFailure(error instanceof Error ? error.message : String(error)));
    } finally {
      isBusy = false;
    }
  };

  return {
    check: () => run(true),
    checkAtStart: async () => {
      if (settings.get().updateChecks) await run(false);
    },
  };
}
