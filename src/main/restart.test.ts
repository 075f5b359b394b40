import { expect, test } from 'vitest';
import { restart } from './restart.ts';

function restarted(env: Record<string, string>, { program = '/opt/Stria/stria-desktop', starts = true } = {}): string[] {
  const log: string[] = [];
  const app = {
    relaunch: ({ args }: { args?: string[] } = {}) => void log.push(`relaunch ${args?.join(' ')}`),
    releaseSingleInstanceLock: () => void log.push('release'),
    exit: () => void log.push('exit'),
  };
  const start = (file: string, args: readonly string[]) => {
    log.push(`start ${file} ${args.join(' ')}`);
    return starts;
  };
  restart(app, ['--flag', 'a.nii'], env, start, program);
  return log;
}

test.each([
  {},
  // Inherited from the program that started the app.
  { APPIMAGE: '/apps/editor.AppImage', APPDIR: '/tmp/.mount_editor' },
  { PORTABLE_EXECUTABLE_FILE: 'C:\\apps\\editor.exe', PORTABLE_EXECUTABLE_APP_FILENAME: 'editor' },
])('an installed app is started again by Electron: %j', (env) => {
  expect(restarted(env)).toEqual(['relaunch --flag a.nii', 'exit']);
});

test.each([
  [{ APPIMAGE: '/apps/Stria.AppImage', APPDIR: '/tmp/.mount_StriaX' }, '/tmp/.mount_StriaX/stria-desktop'],
  [{ PORTABLE_EXECUTABLE_FILE: 'C:\\apps\\Stria.exe', PORTABLE_EXECUTABLE_APP_FILENAME: 'Stria' }, 'C:\\Temp\\a\\Stria.exe'],
])('a copy that vanishes with the process is started again from the file of the user: %j', (env, program) => {
  const [file] = Object.values(env);
  expect(restarted(env, { program })).toEqual(['release', `start ${file} --flag a.nii`, 'exit']);
  const relaunched = ['release', `start ${file} --flag a.nii`, 'relaunch --flag a.nii', 'exit'];
  expect(restarted(env, { program, starts: false })).toEqual(relaunched);
});
