import { toStriaError } from '../shared/errors.ts';

/** A list of problems in sentences for users, of limited length. */
export class Problems {
  static readonly most = 50;
  readonly #sentences = new Set<string>();
  #left = 0;

  add(sentence: string): void {
    if (this.#sentences.size < Problems.most) this.#sentences.add(sentence);
    else this.#left++;
  }

  /** The result of `work`. A `corrupt` fault is recorded as a sentence, and the result is undefined. */
  attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag !== 'corrupt') throw error;
      this.add(`${fault.message.charAt(0).toUpperCase()}${fault.message.slice(1)}.`);
      return undefined;
    }
  }

  get sentences(): string[] {
    return this.#left === 0 ? [...this.#sentences] : [...this.#sentences, `And ${this.#left} more.`];
  }
}
