import type { Variant } from '../../shaders/link.ts';

/** How a decoder's kernels react to payloads that break SPEC.md: they raise flags or do nothing. See shaders/faults/faults.wgsl. */
export interface FaultChecks {
  /** Bound after the kernel's own bindings. */
  readonly bindings: readonly GPUBuffer[];
  /** For a kernel with so many bindings of its own. */
  variant(ownBindings: number): Variant;
}

/** @param faults one word per chunk, as for `CodecKernels.prepareDecode` */
export function faultChecks(faults: GPUBuffer | undefined): FaultChecks {
  return { bindings: faults ? [faults] : [], variant: faultVariant(faults !== undefined) };
}

/** @param checked whether kernels raise flags */
export function faultVariant(checked: boolean): FaultChecks['variant'] {
  return (ownBindings) => (checked ? { checks: true, fault_binding: ownBindings } : {});
}
