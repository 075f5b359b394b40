/** In our own argument list: this process was started in compatibility mode. */
const marker = '--stria-compatibility';

/** The switches that give WebGPU to older drivers. X11, because `Vulkan` on native Wayland can give no window at all. */
const switches: Readonly<Record<string, readonly string[]>> = {
  linux: [
    '--enable-unsafe-webgpu',
    '--ozone-platform=x11',
    '--enable-features=Vulkan',
    '--use-angle=vulkan',
    '--ignore-gpu-blocklist',
  ],
};
const elsewhere: readonly string[] = ['--enable-unsafe-webgpu', '--ignore-gpu-blocklist'];

export function isCompatible(argv: readonly string[]): boolean {
  return argv.includes(marker);
}

/**
 * The arguments with which to start again in compatibility mode. A switch that the user gave himself stays as he gave it.
 * @param argv The arguments behind the program's own path.
 */
export function compatibleArguments(argv: readonly string[], platform: string): string[] {
  const given = new Set(argv.map(switchName));
  const added = (switches[platform] ?? elsewhere).filter((flag) => !given.has(switchName(flag)));
  return [marker, ...added, ...argv.filter((argument) => argument !== marker)];
}

/** The arguments with which to start again plainly. */
export function plainArguments(argv: readonly string[], platform: string): string[] {
  const ours = new Set([marker, ...(switches[platform] ?? elsewhere)]);
  return argv.filter((argument) => !ours.has(argument));
}

function switchName(argument: string): string {
  return argument.startsWith('--') ? (argument.split('=')[0] ?? argument) : '';
}
