import { isAddress, nameOfAddress, urlOfAddress } from '../../../core/remote/address.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import type { Host, HostFile } from '../../host/host.ts';
import type { AppStore } from '../state/store.ts';

interface AddressNeeds {
  readonly host: Pick<Host, 'openAddress'>;
  readonly store: AppStore;
  open(files: readonly HostFile[]): void;
  /** Opens the file that was looked for since `seek`. */
  openSought(file: HostFile): void;
  /** Shows that a volume is being looked for. */
  seek(name: string): void;
  fail(name: string, error: unknown): void;
}

/** Opens volumes at web addresses. */
export class Addresses {
  readonly #needs: AddressNeeds;
  /** Counts typed addresses, so that an outdated one opens nothing. */
  #turn = 0;
  /** The same for the address that the page was started with, which the dialog's end does not cancel. */
  #givenTurn = 0;

  constructor(needs: AddressNeeds) {
    this.#needs = needs;
  }

  /** Opens an address that the user typed. @throws StriaError if it cannot be read; nothing has changed then */
  async open(address: string): Promise<void> {
    const turn = ++this.#turn;
    const file = await this.#needs.host.openAddress(address.trim()).catch(asUnreadable);
    if (turn !== this.#turn) return;
    this.#givenTurn++;
    this.#needs.store.setState({ overlay: 'none' });
    this.#needs.open([file]);
  }

  /** Cancels `open`. */
  cancel(): void {
    this.#turn++;
  }

  /** Opens the address that the page was started with. A fault becomes the document's state. */
  async openGiven(address: string): Promise<void> {
    const { host, store, openSought, seek, fail } = this.#needs;
    const name = nameIn(address);
    const turn = ++this.#givenTurn;
    seek(name);
    const sought = store.getState().document;
    // Progress replaces the state of a search, but the name stays until something else is opened.
    const isWanted = () => {
      const { document } = store.getState();
      const isSame = document.kind === 'loading' && sought.kind === 'loading' && document.name === sought.name;
      return turn === this.#givenTurn && (document === sought || isSame);
    };
    try {
      const file = await host.openAddress(address).catch(asUnreadable);
      if (isWanted()) openSought(file);
    } catch (error) {
      if (isWanted()) fail(name, error);
    }
  }
}

/** Rethrows `invalid-input` as `not-readable`, since the app's words for `invalid-input` speak of a file's layout. */
function asUnreadable(error: unknown): never {
  const fault = toStriaError(error);
  throw fault.tag === 'invalid-input' ? new StriaError('not-readable', fault.message, { cause: fault }) : fault;
}

function nameIn(address: string): string {
  try {
    return isAddress(address) ? nameOfAddress(urlOfAddress(address)) : address;
  } catch {
    return address;
  }
}
