import { spawn } from 'node:child_process';
import type { App } from 'electron';

/**
 * The file that the user started, if the running program is a copy that the system removes when it ends: an AppImage's mount, or the
 * folder into which the portable app on Windows unpacks itself. A program that is one itself hands its variables down to those that it
 * starts, such as an installed Stria: they then name another mount, or another app.
 */
function startedFile(env: Readonly<Record<string, string | undefined>>, program: string): string | undefined {
  if (env.APPIMAGE && env.APPDIR && program.startsWith(`${env.APPDIR}/`)) return env.APPIMAGE;
  return env.PORTABLE_EXECUTABLE_APP_FILENAME?.toLowerCase() === 'stria' ? env.PORTABLE_EXECUTABLE_FILE : undefined;
}

/** Starts a program that outlives this one. @returns whether it was started */
function startApart(file: string, args: readonly string[]): boolean {
  const child = spawn(file, args, { detached: true, stdio: 'ignore' });
  child.on('error', (error) => console.error(`${file} could not be started:`, error));
  child.unref();
  return child.pid !== undefined;
}

/** Ends the app and starts it again. */
export function restart(
  app: Pick<App, 'relaunch' | 'releaseSingleInstanceLock' | 'exit'>,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  start = startApart,
  program = process.execPath,
): void {
  const file = startedFile(env, program);
  // `relaunch` waits in a helper that runs from the copy, and would end with it.
  if (file !== undefined) app.releaseSingleInstanceLock();
  if (file === undefined || !start(file, args)) app.relaunch({ args: [...args] });
  app.exit(0);
}
