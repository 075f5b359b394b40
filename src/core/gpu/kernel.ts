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

/** The kernels of one text, by their constants. */
interface KernelsOfText {
  readonly kernels: Map<string, Kernel>;
  readonly preparing: Map<string, Promise<void>>;
}

function kernelOf({ label }: KernelDescriptor, pipeline: GPUComputePipeline): Kernel {
  return { label, pipeline, layout: pipeline.getBindGroupLayout(0) };
}

/** Compiles each kernel once per device. Kernels with the same text and constants are one, whatever their labels. */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #report: (problem: string) => void;
  /** By the linked text, then by the constants. */
  readonly #kernels = new Map<string, KernelsOfText>();
  readonly #compiling = new Set<Promise<void>>();

  /** @param report gets each compile error, with file and line */
  constructor(device: GPUDevice, report: (problem: string) => void) {
    this.#device = device;
    this.#report = report;
  }

  get(descriptor: KernelDescriptor): Kernel {
    const { kernels, key } = this.#place(descriptor);
    const known = kernels.get(key);
    if (known) return known;
    const kernel = kernelOf(descriptor, this.#device.createComputePipeline(this.#pipelineDescriptor(descriptor)));
    kernels.set(key, kernel);
    return kernel;
  }

  /**
   * Compiles kernels beside each other and beside the CPU's work, so that `get` finds them. A kernel that does not compile is
   * left to `get`, which reports why.
   */
  async prepare(descriptors: readonly KernelDescriptor[]): Promise<void> {
    const work = descriptors.map((descriptor) => {
      const { kernels, preparing, key } = this.#place(descriptor);
      if (kernels.has(key)) return undefined;
      const known = preparing.get(key);
      if (known) return known;
      const compile = async () => {
        try {
          const pipeline = await this.#device.createComputePipelineAsync(this.#pipelineDescriptor(descriptor));
          if (!kernels.has(key)) kernels.set(key, kernelOf(descriptor, pipeline));
        } catch {
          // Left to `get`.
        } finally {
          preparing.delete(key);
        }
      };
      const compiling = compile();
      preparing.set(key, compiling);
      this.#compiling.add(compiling);
      void compiling.then(() => this.#compiling.delete(compiling));
      return compiling;
    });
    await Promise.all(work);
  }

  /** Ends when nothing that `prepare` began is being compiled any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#compiling);
  }

  /** Where a kernel is kept. */
  #place({ shader, variant, constants = {} }: KernelDescriptor) {
    const { text } = linkShader(shader, variant);
    const known = this.#kernels.get(text) ?? { kernels: new Map(), preparing: new Map() };
    this.#kernels.set(text, known);
    return { ...known, key: JSON.stringify(Object.entries(constants).sort()) };
  }

  #pipelineDescriptor({ label, shader, variant, constants = {} }: KernelDescriptor): GPUComputePipelineDescriptor {
    const module = this.compile(label, shader, variant);
    return { label, layout: 'auto', compute: { module, entryPoint: 'main', constants: { ...constants } } };
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
