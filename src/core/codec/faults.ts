import ignoreCode from '../../shaders/faults/ignore.wgsl?raw';
import raiseCode from '../../shaders/faults/raise.wgsl?raw';

/** Whether a decoder's kernels flag payloads that violate SPEC.md, or ignore the violation. */
export interface FaultChecks {
  /** Suffix of the kernel's name: a checking kernel is another kernel. */
  readonly suffix: '' | '.checked';
  /** Bindings that follow the kernel's own. */
  readonly bindings: readonly GPUBuffer[];
  /** The shader text to prepend to a kernel with this many bindings of its own. */
  code(ownBindings: number): string;
}

/** @param faults one word per chunk, see `CodecKernels.prepareDecode` */
export function faultChecks(faults: GPUBuffer | undefined): FaultChecks {
  if (!faults) return { suffix: '', bindings: [], code: () => ignoreCode };
  return {
    suffix: '.checked',
    bindings: [faults],
    code: (ownBindings) => `const fault_binding = ${ownBindings}u;\n${raiseCode}`,
  };
}
