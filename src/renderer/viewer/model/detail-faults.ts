/** Why slices are coarser than the file. */
export interface DetailFault {
  readonly message: string;
  /** The file can be read, but not as much of it at once as a slice needs. */
  readonly isTooMuch: boolean;
}

/** The faults of several views. A success in one view does not end the fault of another. */
export class DetailFaults {
  readonly #byView = new Map<object, DetailFault>();

  /** The oldest that is left. */
  get first(): DetailFault | undefined {
    return this.#byView.values().next().value;
  }

  /** @param fault undefined: the view can read, or is gone */
  report(view: object, fault: DetailFault | undefined): void {
    if (fault) this.#byView.set(view, fault);
    else this.#byView.delete(view);
  }

  clear(): void {
    this.#byView.clear();
  }
}
