/** Why slices are coarser than the file. */
export interface DetailFault {
  readonly message: string;
  /** The file can be read, but not as much of it at once as a slice needs. */
  readonly isTooMuch: boolean;
}

/** The faults of slices by the names of their views. A success in one slice does not end the fault of another. */
export type DetailFaults = Readonly<Record<string, DetailFault>>;

/** @param fault undefined: the slice can be read, or is gone @returns `faults` itself if nothing changes */
export function withDetailFault(faults: DetailFaults, name: string, fault: DetailFault | undefined): DetailFaults {
  const { [name]: before, ...others } = faults;
  if (before?.message === fault?.message && before?.isTooMuch === fault?.isTooMuch) return faults;
  return fault ? { ...others, [name]: fault } : others;
}
