import { expect, test } from 'vitest';
import { restart } from './restart.ts';

function restarted(isPackaged: boolean, env: Record<string, string>, starts = true): string[] {
  const log: string[] = [];
  const app = {
    isPackaged,
    relaunch: ({ args }: { args?: string[] } = {}) => void log.push(`relaunch ${args?.join(' ')}`),
    releaseSingleInstanceLock: () => void log.push('release'),
    exit: () => void log.push('exit'),
  };
  restart(app, ['--flag', 'a.nii'], env, (file, args) => {
    log.push(`start ${file} ${args.join(' ')}`);
    return starts;
  });
  return log;
}

test('an installed app is started again by Electron', () => {
  expect(restarted(true, {})).toEqual(['relaunch --flag a.nii', 'exit']);
  expect(restarted(false, { APPIMAGE: '/apps/editor.AppImage' })).toEqual(['relaunch --flag a.nii', 'exit']);
});

test.each([{ APPIMAGE: '/apps/Stria.AppImage' }, { PORTABLE_EXECUTABLE_FILE: 'C:\\apps\\Stria.exe' }])(
  'a copy that vanishes with the process is started again from the file of the user: %j',
  (env) => {
    const [file] = Object.values(env);
    expect(restarted(true, env)).toEqual(['release', `start ${file} --flag a.nii`, 'exit']);
    expect(restarted(true, env, false)).toEqual(['release', `start ${file} --flag a.nii`, 'relaunch --flag a.nii', 'exit']);
  },
);
