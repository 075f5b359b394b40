/** Whether the process ends after one command, as the command `stria` does and tests do not. */
let endsSoon = false;
let leftOpen = false;

/** Called once, before the command runs. */
export function endAfterCommand(): void {
  endsSoon = true;
}

/** Whether a GPU can be left to the end of the process. Then `endProcess` must follow. */
export function leavesGpu(): boolean {
  leftOpen ||= endsSoon;
  return endsSoon;
}

/**
 * Ends the process. If a GPU was left open, not before all output is written: on some systems pipes are written later. Without a GPU
 * the process ends by itself.
 */
export function endProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (!leftOpen) return;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}
