/** The markers of a process in compatibility mode. The switches between them are ours; all others are the user's. */
const [marker, end] = ['--stria-compatibility', '--stria-compatibility-end'];
const features = '--enable-features';

/** The switches that enable WebGPU on older drivers. They include X11, because with `Vulkan` on native Wayland there may be no window. */
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
 * The arguments for a restart in compatibility mode. Switches that the user gave are kept. Chromium uses only the last list
 * of features, so ours comes last and includes the user's.
 * @param argv the arguments after the program's own path
 */
export function compatibleArguments(argv: readonly string[], platform: string): string[] {
  const given = plainArguments(argv);
  // Arguments after `--` are not switches.
  const split = given.includes('--') ? given.indexOf('--') : given.length;
  const own = given.slice(0, split);
  const names = new Set(own.map(switchName));
  const added = (switches[platform] ?? elsewhere).flatMap((flag) =>
    switchName(flag) === features ? mergedFeatures(flag, own) : names.has(switchName(flag)) ? [] : [flag],
  );
  return [...own, marker, ...added, end, ...given.slice(split)];
}

/** The arguments for a normal restart: only those that the user gave. */
export function plainArguments(argv: readonly string[]): string[] {
  const [first, last] = [argv.indexOf(marker), argv.indexOf(end)];
  return first < 0 || last < first ? argv.filter((argument) => argument !== marker) : argv.toSpliced(first, last - first + 1);
}

/** The switch with the user's features and ours; empty if the user's list already includes ours. */
function mergedFeatures(ours: string, given: readonly string[]): string[] {
  const theirs = featuresOf(given.findLast((argument) => switchName(argument) === features) ?? '');
  // A feature may have a trial and parameters: `Name<Trial:key/value`.
  const names = new Set(theirs.map((feature) => feature.split(/[<:.]/)[0]));
  const missing = featuresOf(ours).filter((feature) => !names.has(feature));
  return missing.length === 0 ? [] : [`${features}=${[...theirs, ...missing].join(',')}`];
}

function featuresOf(argument: string): string[] {
  return argument
    .slice(features.length + 1)
    .split(',')
    .filter(Boolean);
}

function switchName(argument: string): string {
  return argument.startsWith('--') ? (argument.split('=')[0] ?? argument) : '';
}
