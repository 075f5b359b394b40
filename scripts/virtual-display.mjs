// A virtual X display (Xvfb), for browser tests on a machine without a display.
import { spawn } from 'node:child_process';

/**
 * The display's pointer stays at its centre, and a window is never wider than 1920. So the centre is beside the window: a pointer
 * over it would enter the page at any moment, for example between a test's mouse press and release.
 */
const screenSize = '4096x1080x24';

/** Starts Xvfb, which picks a free display and writes its number to the pipe at descriptor 3 when it is ready. */
export function startVirtualDisplay() {
  const xvfb = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', screenSize, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const stop = () => xvfb.kill();
  process.once('exit', stop);
  return new Promise((resolve, reject) => {
    xvfb.once('error', (error) => reject(new Error(`could not be started (${error.message})`)));
    xvfb.once('exit', (code) => reject(new Error(`ended at once (exit code ${code})`)));
    let text = '';
    xvfb.stdio[3].on('data', (data) => {
      text += data;
      if (text.endsWith('\n')) resolve({ display: `:${text.trim()}`, stop });
    });
  });
}
