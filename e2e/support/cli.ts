import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the built command `stria`. @throws if it exits with an error */
export async function cli(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [resolve('out/main/cli.js'), ...args]);
  return stdout;
}

/** The parts of `stria info --json` that specs read. */
export interface FileInfo {
  readonly fileBytes: number;
  readonly sourceBytes: number;
  readonly chunkShape: readonly number[];
  readonly chunkCount: number;
  readonly chunks: readonly { readonly codec: string; readonly axis?: string; readonly count: number; readonly bytes: number }[];
}

export async function fileInfo(path: string): Promise<FileInfo> {
  return JSON.parse(await cli('info', path, '--json'));
}
