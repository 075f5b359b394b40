import { toStriaError } from '../../../core/shared/errors.ts';
import type { Host, HostFile } from '../../host/host.ts';
import { partName, type SessionPart } from '../state/saved-session.ts';
import { type FoundPart, fittingOne, whyAnother } from './session-files.ts';

/** Looks for the files of a session: among given ones, at their addresses, and beside the session. */
export class PartFinder {
  readonly #host: Pick<Host, 'openRelative' | 'openAddress'>;

  constructor(host: Pick<Host, 'openRelative' | 'openAddress'>) {
    this.#host = host;
  }

  /** The file that a part of a session refers to: the first given match, else the one at the saved place. Or why none matches. */
  async find(session: HostFile, part: SessionPart, given: readonly HostFile[]): Promise<FoundPart> {
    const fitting = await fittingOne(part, given);
    if (fitting.one) return fitting;
    if (part.address !== undefined) return this.#findAddress(part.address, part);
    const beside = await this.#host.openRelative(session, part.path);
    const whyNot = beside && (await whyAnother(beside, part));
    return beside && whyNot === undefined ? { one: beside } : { reason: whyNot ?? fitting.reason };
  }

  /** Like `find`, but considers only given files with the part's name. A file that cannot be read counts as missing. */
  async findNamed(session: HostFile, part: SessionPart, given: readonly HostFile[]): Promise<HostFile | undefined> {
    const named = given.filter(({ name }) => name === partName(part));
    const { one } = await this.find(session, part, named).catch((): FoundPart => ({}));
    return one;
  }

  async #findAddress(address: string, part: SessionPart): Promise<FoundPart> {
    try {
      const one = await this.#host.openAddress(address);
      const reason = await whyAnother(one, part);
      return reason === undefined ? { one } : { reason };
    } catch (error) {
      return { reason: toStriaError(error).message };
    }
  }
}
