import { type LinkedShader, linkShader, type OverrideValues, type Variant } from '../../shaders/link.ts';

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
  /** Values of the shader's overrides. */
  readonly constants?: OverrideValues;
}

function linkedKernel({ shader, variant, constants = {} }: KernelDescriptor): LinkedShader {
  return linkShader(shader, variant, constants);
}

function kernelOf({ label }: KernelDescriptor, pipeline: GPUComputePipeline): Kernel {
  return { label, pipeline, layout: pipeline.getBindGroupLayout(0) };
}

/** Compiles each kernel once per device. Kernels with the same text are one, whatever their labels. */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #report: (problem: string) => void;
  /** By the linked text. */
  readonly #kernels = new Map<string, Kernel>();
  readonly #preparing = new Map<string, Promise<void>>();

  /** @param report gets each compile error, with file and line */
  constructor(device: GPUDevice, report: (problem: string) => void) {
    this.#device = device;
    this.#report = report;
  }

  get(descriptor: KernelDescriptor): Kernel {
    const shader = linkedKernel(descriptor);
    const known = this.#kernels.get(shader.text);
    if (known) return known;
    const kernel = kernelOf(descriptor, this.#device.createComputePipeline(this.#pipelineDescriptor(descriptor, shader)));
    this.#kernels.set(shader.text, kernel);
    return kernel;
  }

  /** Whether `get` returns a kernel without compiling it. */
  has(descriptor: KernelDescriptor): boolean {
    return this.#kernels.has(linkedKernel(descriptor).text);
  }

  /**
   * Compiles kernels beside each other and beside the CPU's work, so that `get` finds them. A kernel that does not compile is
   * left to `get`, which reports why.
   */
  async prepare(descriptors: readonly KernelDescriptor[]): Promise<void> {
    const work = descriptors.map((descriptor) => {
      const shader = linkedKernel(descriptor);
      const { text } = shader;
      if (this.#kernels.has(text)) return undefined;
      const known = this.#preparing.get(text);
      if (known) return known;
      const compile = async () => {
        try {
          const pipeline = await this.#device.createComputePipelineAsync(this.#pipelineDescriptor(descriptor, shader));
          if (!this.#kernels.has(text)) this.#kernels.set(text, kernelOf(descriptor, pipeline));
        } catch {
          // Left to `get`.
        } finally {
          this.#preparing.delete(text);
        }
      };
      const compiling = compile();
      this.#preparing.set(text, compiling);
      return compiling;
    });
    await Promise.all(work);
  }

  /** Ends when nothing that `prepare` began is being compiled any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#preparing.values());
  }

  #pipelineDescriptor({ label }: KernelDescriptor, shader: LinkedShader): GPUComputePipelineDescriptor {
    return { label, layout: 'auto', compute: { module: this.#compile(label, shader), entryPoint: 'main' } };
  }

  /** Compiles a shader for render pipelines, which their owners keep. */
  compile(label: string, shader: ShaderFile, variant?: Variant): GPUShaderModule {
    return this.#compile(label, linkShader(shader, variant));
  }

  #compile(label: string, { text, locate }: LinkedShader): GPUShaderModule {
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
