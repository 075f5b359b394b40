/** Why the `webgpu` package could not be loaded. In a file of its own, because node-gpu.ts loads all of the GPU's code. */
let fault: string | undefined;

/** Undefined if the package was loaded, or was not needed. */
export function webGpuFault(): string | undefined {
  return fault;
}

export function noteWebGpuFault(error: unknown): void {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) };
  const isMissing = code === 'ERR_MODULE_NOT_FOUND';
  // Otherwise its binary needs a newer system library: "version `GLIBC_2.34' not found".
  fault = isMissing
    ? 'the optional package webgpu is not installed'
    : `the package webgpu cannot be loaded: ${message.split('\n')[0]}`;
}
