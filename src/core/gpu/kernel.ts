import { linkShader, type Variant } from '../../shaders/link.ts';

/** A compute pipeline made from a shader, its variant and its override constants. */
export interface Kernel {
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

export interface KernelDescriptor {
  /** For timings and messages: `rle.encode.measure`. */
  readonly label: string;
  /** The .wgsl file with the entry point `main`. */
  readonly shader: ShaderFile;
  /** Conditions and constants of the shader and of what it imports. */
  readonly variant?: Variant | undefined;
  /** Override constants of the pipeline. */
  readonly constants?: Readonly<Record<string, number>>;
}

/** Compiles each kernel once per device. Kernels with the same text and constants are one, whatever their labels. */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #report: (problem: string) => void;
  /** By the linked text, then by the constants. */
  readonly #kernels = new Map<string, Map<string, Kernel>>();

  /** @param report gets each compile error, with file and line */
  constructor(device: GPUDevice, report: (problem: string) => void) {
    this.#device = device;
    this.#report = report;
  }

  get({ label, shader, variant, constants = {} }: KernelDescriptor): Kernel {
    const { text } = linkShader(shader, variant);
    const kernels = this.#kernels.get(text) ?? new Map<string, Kernel>();
    this.#kernels.set(text, kernels);
    const key = JSON.stringify(Object.entries(constants).sort());
    const known = kernels.get(key);
    if (known) return known;
    const pipeline = this.#device.createComputePipeline({
      label,
      layout: 'auto',
      compute: { module: this.compile(label, shader, variant), entryPoint: 'main', constants: { ...constants } },
    });
    const kernel: Kernel = { label, pipeline, layout: pipeline.getBindGroupLayout(0) };
    kernels.set(key, kernel);
    return kernel;
  }

  /** Compiles a shader for render pipelines, which their owners keep. */
  compile(label: string, shader: ShaderFile, variant?: Variant): GPUShaderModule {
    const { text, locate } = linkShader(shader, variant);
    // Catches the error that names lines of the linked text, and reports it with files. The pipeline's own error stays uncaught.
    this.#device.pushErrorScope('validation');
    const module = this.#device.createShaderModule({ label, code: text });
    void this.#device.popErrorScope().then(
      async (error) => {
        if (!error) return;
        const { messages } = await module.getCompilationInfo();
        const errors = messages.filter(({ type }) => type === 'error');
        const lines = errors.map(({ lineNum, linePos, message }) => `${locate(lineNum)}:${linePos}: ${message}`);
        this.#report([`${label} does not compile`, ...(lines.length > 0 ? lines : [error.message])].join('\n'));
      },
      () => undefined, // the device is lost
    );
    return module;
  }
}
