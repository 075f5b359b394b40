import type { GpuDiagnosis } from '../../../core/gpu/diagnosis.ts';
import { diagnoseGpu } from '../../../core/gpu/gpu.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import { withoutNames } from '../../../core/shared/without-names.ts';
import { type AppState, openDocument } from '../state/store.ts';

/** An earlier error of the page that no message has shown. */
export interface LoggedError {
  /** Since the start, in seconds. */
  readonly at: number;
  readonly text: string;
}

/** Information for bug reports: versions, the graphics adapter, the fault. No file names or content. */
export async function diagnosticsText(
  state: AppState,
  fault: FaultData | undefined,
  errors: readonly LoggedError[] = [],
): Promise<string> {
  const names = namesIn(state);
  const plain = (text: string) => withoutNames(text, names);
  const diagnosis = await diagnosisOf(state);
  const memory = state.gpu.kind === 'ready' ? Object.fromEntries(state.gpu.gpu.memory.entries()) : undefined;
  const volume =
    state.document.kind === 'ready'
      ? { dims: state.document.document.info.dims, type: state.document.document.info.type }
      : undefined;
  const report = {
    stria: state.shell?.stria,
    electron: state.shell?.electron || undefined,
    chromium: state.shell?.chromium,
    platform: state.shell?.platform,
    compatibilityMode: state.shell?.compatibilityMode,
    userAgent: navigator.userAgent,
    threads: navigator.hardwareConcurrency,
    gpu: state.gpu.kind,
    diagnosis,
    gpuMemoryBytes: memory,
    volume,
    // Names of volumes in a file are left out, since they may contain names of people.
    fault: fault && {
      tag: fault.tag,
      message: fault.choices ? 'several volumes' : plain(fault.message),
      context: fault.context.map(plain),
    },
    errors: errors.length === 0 ? undefined : errors.map(({ at, text }) => ({ at, text: plain(text) })),
  };
  return JSON.stringify(report, undefined, 2);
}

/** The text of a report file: an explanation, and the diagnostics. */
export async function reportText(...given: Parameters<typeof diagnosticsText>): Promise<string> {
  const words =
    'An error report of Stria. Read it before you send it: it should have no file names, paths, addresses, tags or voxels.\n' +
    'What is left out of a message is <name>, <path> or <address>. Please add what you did before.';
  return `${words}\n\n${await diagnosticsText(...given)}\n`;
}

/** All names that the app shows now. A message may contain them. */
function namesIn(state: AppState): string[] {
  const { document, comparison, layers, queue, recent, secondName, waitingFiles } = state;
  const names = [secondName, openDocument(state)?.name, 'name' in comparison ? comparison.name : undefined];
  if ('name' in document) names.push(document.name);
  if ('file' in document) names.push(document.file.name);
  if (document.kind === 'waiting') names.push(document.session.file.name);
  for (const { name } of [...layers.stack.layers, ...layers.stack.meshes]) names.push(name);
  for (const one of [...Object.values(layers.volumes), ...Object.values(layers.surfaces)])
    if (one.kind === 'lost') names.push(...one.files);
  if ('name' in layers.adding) names.push(layers.adding.name);
  for (const { name } of layers.notAdded) names.push(name);
  names.push(...layers.waiting, ...waitingFiles);
  for (const { name } of queue) names.push(name);
  for (const { name, folder, dataset } of recent) names.push(name, folder, dataset?.label);
  return names.filter((name) => name !== undefined);
}

function diagnosisOf({ gpu }: AppState): Promise<GpuDiagnosis> | GpuDiagnosis {
  if (gpu.kind === 'ready') return gpu.gpu.diagnosis;
  return gpu.kind === 'failed' ? gpu.diagnosis : diagnoseGpu(navigator.gpu);
}
