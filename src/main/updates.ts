import type { MessageBoxOptions } from 'electron';
import { noUpdate, noUpdater, updateFailure, updateQuestion, updateReady } from './dialogs.ts';
import type { SettingsStore } from './settings.ts';

/** The parts of electron-updater that are used. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  /** @returns null if this kind of package cannot be updated */
  checkForUpdates(): Promise<{ readonly isUpdateAvailable: boolean; readonly updateInfo: { readonly version: string } } | null>;
  downloadUpdate(): Promise<unknown>;
  quitAndInstall(): void;
}

export interface Updates {
  /** Looks for a new version, and shows the result. Never rejects. */
  check(): Promise<void>;
  /** Looks for a new version at the start of the app, if the user turned that on. Shows only a new version. Never rejects. */
  checkAtStart(): Promise<void>;
}

export interface UpdatesOptions {
  /** The running version. */
  readonly version: string;
  readonly settings: SettingsStore;
  /** Loads electron-updater, which takes a moment. */
  readonly loadUpdater: () => Promise<Updater>;
  /** Shows a message. @returns the number of the button that was pressed */
  readonly ask: (question: MessageBoxOptions) => Promise<number>;
}

/** Updates of the installed app. Nothing is downloaded or installed before the user agrees. */
export function createUpdates({ version, settings, loadUpdater, ask }: UpdatesOptions): Updates {
  let isBusy = false;
  /** Whether the user chose to install the downloaded version on quitting. */
  let installsOnQuit = false;

  const run = async (isAsked: boolean): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      const updater = await loadUpdater();
      updater.autoDownload = false;
      updater.autoInstallOnAppQuit = installsOnQuit;
      const result = await updater.checkForUpdates();
      if (!result?.isUpdateAvailable) {
        if (isAsked) await ask(result === null ? noUpdater(version) : noUpdate(version));
        return;
      }
      const found = result.updateInfo.version;
      if ((await ask(updateQuestion(version, found))) !== 0) return;
      // electron-updater prepares the installation on quitting at the end of a download, if this is set by then.
      updater.autoInstallOnAppQuit = true;
      await updater.downloadUpdate().finally(() => {
        updater.autoInstallOnAppQuit = installsOnQuit;
      });
      if ((await ask(updateReady(found))) === 0) return updater.quitAndInstall();
      installsOnQuit = true;
      updater.autoInstallOnAppQuit = true;
    } catch (error) {
      // At the start there may be no network, which is not worth a message.
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
