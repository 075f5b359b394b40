import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { StriaError } from '../../core/shared/errors.ts';
import { isExistingFolder } from '../../node/node-folder.ts';
import { systemFault } from '../../node/system-faults.ts';
import type { ServeCommand } from '../arguments/parsed-command.ts';
import { builtWebApp, startFolderServer } from '../serve/folder-server.ts';
import { isLoopback } from '../serve/request-path.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';

/** `stria serve`: shows the volumes of a folder in browsers, until it is stopped. */
export async function runServe(command: ServeCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { folder, host, port, app = builtWebApp(), open } = command;
  const root = await realpath(folder).catch((error: unknown) => {
    throw systemFault('not-readable', folder, error);
  });
  if (!(await isExistingFolder(root)))
    throw new StriaError('invalid-input', `${folder} is a file; name the folder that contains it`);
  const { addresses, hasApp, close } = await startFolderServer({ root, host, port, app });
  try {
    terminal.result({ command: 'serve', folder, addresses, hasApp });
    terminal.say(`${folder} is served at\n${addresses.map((address) => `  ${address}`).join('\n')}`);
    if (!isLoopback(host)) {
      terminal.note(
        'Anyone who has the address can read the folder, and the connection is not encrypted. Browsers let a page use the GPU only\non the same machine or over https. From another machine, use a tunnel instead of --host: `stria serve --help`.',
      );
    }
    if (!hasApp)
      terminal.note(`There is no web app in ${app}, so volumes can only be downloaded; \`npm run build:web\` makes it.`);
    terminal.note('Ctrl-C ends.');
    if (open && addresses[0] !== undefined) openBrowser(addresses[0], () => terminal.note('No browser could be opened.'));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** Opens an address in the user's browser. */
function openBrowser(address: string, failed: () => void): void {
  const [program, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const child = spawn(program as string, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', failed);
  child.unref();
}
