import { dirname, join } from 'node:path';
import { isAddress, shownAddress, urlOfAddress } from '../../core/remote/address.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { readSession } from '../../renderer/app/session/session-file.ts';
import type { Terminal } from '../terminal/terminal.ts';

type SavedSession = ReturnType<typeof readSession>;
export type PicturedSource = SavedSession['source'];
type File = Extract<PicturedSource, { files: unknown }>['files'][number];

/** A session and its location. Its paths are relative to that. */
export interface PictureSession {
  readonly path: string;
  readonly saved: SavedSession;
}

/** The location of a session's file: the address that the session gives, or a path relative to the session. */
export function placeOf({ path }: PictureSession, file: Pick<File, 'path' | 'address'>): string {
  if (file.address !== undefined) return file.address;
  if (!isAddress(path)) return join(dirname(path), file.path);
  // Keep the session's query string, because it may hold a key.
  const url = urlOfAddress(path);
  const { pathname } = new URL(file.path.split('/').map(encodeURIComponent).join('/'), url);
  url.pathname = pathname;
  return url.href;
}

/** Decides which hosts a session may connect to: those that the command names, and those that the user allows. */
export class SessionHosts {
  readonly #answers = new Map<string, boolean | undefined>();

  /** @param named paths and addresses of the command */
  static async ask(
    session: PictureSession,
    sources: readonly PicturedSource[],
    named: readonly string[],
    terminal: Pick<Terminal, 'ask'>,
    signal: AbortSignal,
  ): Promise<SessionHosts> {
    const hosts = new SessionHosts();
    for (const path of named) if (isAddress(path)) hosts.#answers.set(urlOfAddress(path).host, true);
    for (const source of sources) {
      for (const file of 'files' in source ? source.files : []) {
        const place = placeOf(session, file);
        if (!isAddress(place)) continue;
        const { host } = urlOfAddress(place);
        if (hosts.#answers.has(host)) continue;
        hosts.#answers.set(host, await terminal.ask(`The session refers to ${host}. Connect to it?`, signal));
      }
    }
    return hosts;
  }

  /** @throws StriaError `not-readable` if the user did not allow the host of an address */
  check(place: string): void {
    if (!isAddress(place)) return;
    const url = urlOfAddress(place);
    const answer = this.#answers.get(url.host);
    if (answer === true) return;
    const why =
      answer === false
        ? 'you chose not to connect to it'
        : 'only the session names this host, so connecting needs your consent, and there is no terminal to ask on; name the address with --session instead';
    throw new StriaError('not-readable', `${shownAddress(url)}: ${why}`);
  }
}
