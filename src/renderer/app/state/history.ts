/** What undo can restore: a flat object with one key for each thing that the user sets. */
export type Snapshot = Readonly<Record<string, unknown>>;

interface Step {
  /** The old values of the keys that the step changed, and only these. */
  readonly before: Snapshot;
  readonly after: Snapshot;
}

interface LastChange {
  readonly atMs: number;
  readonly gesture: number | undefined;
}

/** Changes of the same keys within this time, in milliseconds, are one step. */
const mergeMs = 400;

/** The ids in the list or lists of a snapshot's value; undefined for values without lists. */
export type MembersOf = (key: string, value: unknown) => readonly string[] | undefined;

/**
 * Undo steps. `record` receives the current snapshot and finds what changed. A step holds only the values that it changed, so
 * undoing it leaves everything else alone, such as the crosshair.
 */
export class History {
  readonly #limit: number;
  readonly #separate: readonly string[];
  readonly #membersOf: MembersOf;
  readonly #undo: Step[] = [];
  readonly #redo: Step[] = [];
  #now: Snapshot = {};
  #last: LastChange | undefined;

  /**
   * @param limit the number of steps to keep; older ones are dropped
   * @param separate keys whose changes are never merged into one step, such as lists with additions and deletions
   * @param membersOf a change that adds, removes or moves members is a separate step, even during a drag
   */
  constructor(limit = 200, separate: readonly string[] = [], membersOf: MembersOf = () => undefined) {
    this.#limit = limit;
    this.#separate = separate;
    this.#membersOf = membersOf;
  }

  /** Drops all steps and starts at the current snapshot. */
  clear(now: Snapshot): void {
    this.#undo.length = 0;
    this.#redo.length = 0;
    this.#now = now;
    this.#last = undefined;
  }

  /**
   * Records the current snapshot. Changes of the same keys become one step if they follow each other quickly (unless the keys are
   * `separate`) or belong to one gesture.
   * @param gesture the number of the current drag; undefined if there is none
   */
  record(now: Snapshot, { atMs, gesture }: LastChange): void {
    const keys = changedKeys(this.#now, now);
    if (keys.length === 0) {
      this.#now = now;
      return;
    }
    const before = pick(this.#now, keys);
    const after = pick(now, keys);
    const last = this.#undo.at(-1);
    const follows = this.#last !== undefined && (gesture === undefined || gesture === this.#last.gesture);
    const isSoon =
      this.#last !== undefined && atMs - this.#last.atMs < mergeMs && !keys.some((key) => this.#separate.includes(key));
    const isOneGesture = gesture !== undefined && gesture === this.#last?.gesture;
    const isAlone = this.#changesMembers({ before, after }) || (last !== undefined && this.#changesMembers(last));
    if (last && follows && (isSoon || isOneGesture) && !isAlone && sameKeys(last.after, after)) {
      this.#undo.pop();
      // A drag may end where it started.
      if (changedKeys(last.before, after).length > 0) this.#undo.push({ ...last, after });
    } else this.#undo.push({ before, after });
    if (this.#undo.length > this.#limit) this.#undo.shift();
    this.#redo.length = 0;
    this.#now = now;
    this.#last = { atMs, gesture };
  }

  /** The values to set in order to undo the last step; undefined if there is none. */
  undo(): Snapshot | undefined {
    const step = this.#undo.pop();
    if (!step) return undefined;
    this.#redo.push(step);
    return this.#goTo(step.before);
  }

  /** The values to set in order to redo the last undone step; undefined if there is none. */
  redo(): Snapshot | undefined {
    const step = this.#redo.pop();
    if (!step) return undefined;
    this.#undo.push(step);
    return this.#goTo(step.after);
  }

  /** The keys that the next `undo` would restore. Empty if there is no step. */
  get undoKeys(): readonly string[] {
    return Object.keys(this.#undo.at(-1)?.before ?? {});
  }

  get redoKeys(): readonly string[] {
    return Object.keys(this.#redo.at(-1)?.after ?? {});
  }

  #changesMembers({ before, after }: Step): boolean {
    return Object.keys(after).some((key) => {
      const [one, other] = [this.#membersOf(key, before[key]), this.#membersOf(key, after[key])];
      return one?.join('\n') !== other?.join('\n');
    });
  }

  #goTo(change: Snapshot): Snapshot {
    this.#now = { ...this.#now, ...change };
    this.#last = undefined;
    return change;
  }
}

function changedKeys(a: Snapshot, b: Snapshot): string[] {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => a[key] !== b[key] && JSON.stringify(a[key]) !== JSON.stringify(b[key]));
}

function sameKeys(a: Snapshot, b: Snapshot): boolean {
  return Object.keys(a).sort().join() === Object.keys(b).sort().join();
}

function pick(snapshot: Snapshot, keys: readonly string[]): Snapshot {
  return Object.fromEntries(keys.map((key) => [key, snapshot[key]]));
}
