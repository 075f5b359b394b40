/** A compute pipeline made from one .wgsl file and its override constants. */
export interface Kernel {
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

export interface KernelDescriptor {
  /** `rle.encode.measure`: codec or view, then the file's name. */
  readonly label: string;
  /** The .wgsl file's text, its one entry point named `main`. */
  readonly code: string;
  readonly constants?: Readonly<Record<string, number>>;
}

/** Compiles each kernel once per device. */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #kernels = new Map<string, Kernel>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  get({ label, code, constants = {} }: KernelDescriptor): Kernel {
    const key = `${label}\n${JSON.stringify(Object.entries(constants).sort())}`;
    const known = this.#kernels.get(key);
    if (known) return known;
    const module = this.#device.createShaderModule({ label, code });
    const pipeline = this.#device.createComputePipeline({
      label,
      layout: 'auto',
      compute: { module, entryPoint: 'main', constants: { ...constants } },
    });
    const kernel: Kernel = { label, pipeline, layout: pipeline.getBindGroupLayout(0) };
    this.#kernels.set(key, kernel);
    return kernel;
  }
}
