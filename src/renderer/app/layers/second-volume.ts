import { isSameDocument } from '../state/document-state.ts';
import type { AppStore } from '../state/store.ts';

/** The choices for a file that is opened while a volume is open. */
export interface SecondChoices {
  layer(): void;
  compare(): void;
  replace(): void;
}

/** Asks what to do with a file that is opened while a volume is open. */
export class SecondVolume {
  readonly #store: AppStore;
  #choices: SecondChoices | undefined;

  constructor(store: AppStore) {
    this.#store = store;
    // Escape, or a click outside the question, drops the file. So does closing the open volume.
    store.subscribe(({ overlay, document }, before) => {
      if (before.overlay === 'second' && overlay !== 'second') this.#choices = undefined;
      else if (overlay === 'second' && !isSameDocument(document, before.document)) this.#hide();
    });
  }

  ask(name: string, choices: SecondChoices): void {
    this.#choices = choices;
    this.#store.setState({ overlay: 'second', secondName: name });
  }

  choose(kind: keyof SecondChoices): void {
    const choices = this.#choices;
    this.#hide();
    choices?.[kind]();
  }

  #hide(): void {
    if (this.#store.getState().overlay === 'second') this.#store.setState({ overlay: 'none' });
  }
}
