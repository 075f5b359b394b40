import ignoreCode from '../../shaders/faults/ignore.wgsl?raw';
import raiseCode from '../../shaders/faults/raise.wgsl?raw';

/** How a decoder's kernels are to treat payloads that are not as SPEC.md says: raise flags, or take no notice. */
export interface FaultChecks {
  /** Goes behind the name of a kernel: those that check are other kernels. */
  readonly suffix: '' | '.checked';
  /** What to bind behind the kernel's own bindings. */
  readonly bindings: readonly GPUBuffer[];
  /** The shader text that goes in front of a kernel with so many bindings of its own. */
  code(ownBindings: number): string;
}

/** @param faults a word for each chunk, as `CodecKernels.prepareDecode` has it */
export function faultChecks(faults: GPUBuffer | undefined): FaultChecks {
  if (!faults) return { suffix: '', bindings: [], code: () => ignoreCode };
  return {
    suffix: '.checked',
    bindings: [faults],
    code: (ownBindings) => `const fault_binding = ${ownBindings}u;\n${raiseCode}`,
  };
}
