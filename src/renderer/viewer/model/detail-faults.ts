/** Why slices are coarser than the file. */
export interface DetailFault {
  readonly message: string;
  /** Whether the file can be read, but a slice needs too much of it at once, or levels that have not been made. */
  readonly isTooMuch: boolean;
  /** The layer that is coarser than its file, if it is not the open volume. `decimation` is that of its voxels in GPU memory. */
  readonly layer?: { readonly name: string; readonly decimation: number } | undefined;
}

/** The faults of one canvas. That of the open volume is told before those of layers. */
export class CanvasFaults {
  readonly #tell: (fault: DetailFault | undefined) => void;
  #volume: DetailFault | undefined;
  #layers: DetailFault | undefined;

  /** @param tell is given the fault that counts; undefined once there is none */
  constructor(tell: (fault: DetailFault | undefined) => void) {
    this.#tell = tell;
  }

  set(what: 'volume' | 'layers', fault: DetailFault | undefined): void {
    if (what === 'volume') this.#volume = fault;
    else this.#layers = fault;
    this.#tell(this.#volume ?? this.#layers);
  }
}

/** The faults of slices, by view name. A success in one slice does not clear the fault of another. */
export type DetailFaults = Readonly<Record<string, DetailFault>>;

/** Sets or clears a view's fault. @param fault undefined if its slice can be read or is gone @returns `faults` if nothing changes */
export function withDetailFault(faults: DetailFaults, name: string, fault: DetailFault | undefined): DetailFaults {
  const { [name]: before, ...others } = faults;
  if (JSON.stringify(before) === JSON.stringify(fault)) return faults;
  return fault ? { ...others, [name]: fault } : others;
}
