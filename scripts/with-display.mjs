// Runs a command with an X display: the existing one, or a virtual one (Xvfb) that lives as long as the command. If the system
// needs no X, or a display is set, it only runs the command.
import { spawn } from 'node:child_process';
import { startVirtualDisplay } from './virtual-display.mjs';

const [command, ...args] = process.argv.slice(2);
const needsDisplay = process.platform === 'linux' && !process.env.DISPLAY;
const server = needsDisplay ? await startServer() : undefined;
// Without a UTF-8 locale Chromium cannot open files whose names are not ASCII.
const isUtf8 = /utf-?8/i.test(process.env.LC_ALL ?? process.env.LC_CTYPE ?? process.env.LANG ?? '');
const locale = process.platform === 'linux' && !isUtf8 ? { LC_ALL: 'C.UTF-8' } : {};
const env = { ...process.env, ...locale, ...(server && { DISPLAY: server.display, STRIA_VIRTUAL_DISPLAY: '1' }) };
const child = spawn(command, args, { env, stdio: 'inherit', shell: process.platform === 'win32' });
// Ctrl-C also reaches the command, which decides when to end. The display must outlive it.
process.on('SIGINT', () => undefined);
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  console.error(`with-display: cannot run ${command}: ${error.message}`);
  end(1);
});
child.once('exit', (code, signal) => end(signal === 'SIGINT' ? 130 : (code ?? 1)));

function end(code) {
  server?.stop();
  process.exit(code);
}

async function startServer() {
  try {
    return await startVirtualDisplay();
  } catch (error) {
    console.error(`with-display: there is no display, and Xvfb ${error.message}. Install it (Debian: apt-get install xvfb).`);
    process.exit(1);
  }
}
