/** Whether the process ends after one command, as the command `stria` does and tests do not. */
let endsSoon = false;
let leftOpen = false;

/** Called once, before the command runs. */
export function endAfterCommand(): void {
  endsSoon = true;
}

/** Whether a GPU may stay open until the process ends. If so, `endProcess` must be called. */
export function leavesGpu(): boolean {
  leftOpen ||= endsSoon;
  return endsSoon;
}

/**
 * Ends the process if a GPU was left open, once all output is written: some systems write to pipes asynchronously. Without a GPU
 * the process ends by itself.
 */
export function endProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (!leftOpen) return;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}
