import type { Gpu } from '../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../gpu/kernel.ts';

/** Kernels of rays. Some take seconds to compile, so they are compiled beside frames that others draw. */
export class KernelsBeside {
  readonly #gpu: Pick<Gpu, 'isSoftware' | 'hasKernel' | 'kernel' | 'prepareKernels'>;
  /** By label, variant and constants: the end of the compilation; undefined for those that have been compiled. */
  readonly #compiling = new Map<string, Promise<void> | undefined>();

  constructor(gpu: Pick<Gpu, 'isSoftware' | 'hasKernel' | 'kernel' | 'prepareKernels'>) {
    this.#gpu = gpu;
  }

  /** Compiles a kernel beside other work. @returns undefined if it has been compiled; else the same promise for the same kernel */
  compile(descriptor: KernelDescriptor): Promise<void> | undefined {
    // A software GPU compiles on the same cores.
    if (this.#gpu.isSoftware) return undefined;
    const key = keyOf(descriptor);
    if (!this.#isKnown(key, descriptor)) {
      const compiling = this.#gpu.prepareKernels([descriptor]);
      this.#compiling.set(key, compiling);
      void compiling.then(() => this.#compiling.set(key, undefined));
    }
    return this.#compiling.get(key);
  }

  /** Whether `kernel` takes no time, or would take the time anyway. */
  has(descriptor: KernelDescriptor): boolean {
    if (this.#gpu.isSoftware) return true;
    const key = keyOf(descriptor);
    return this.#isKnown(key, descriptor) && this.#compiling.get(key) === undefined;
  }

  /** The kernel, which is compiled at once if it has not been. */
  kernel(descriptor: KernelDescriptor): Kernel {
    const kernel = this.#gpu.kernel(descriptor);
    this.#compiling.set(keyOf(descriptor), undefined);
    return kernel;
  }

  /** Whether the kernel has been compiled, here or by others, or is being compiled here. */
  #isKnown(key: string, descriptor: KernelDescriptor): boolean {
    if (!this.#compiling.has(key) && this.#gpu.hasKernel(descriptor)) this.#compiling.set(key, undefined);
    return this.#compiling.has(key);
  }
}

function keyOf({ label, variant, constants }: KernelDescriptor): string {
  return JSON.stringify([label, variant, constants]);
}
