import { defaultLimits, type GpuDiagnosis, limitNames } from '../../core/gpu/diagnosis.ts';
import { displayText } from '../../core/shared/display-text.ts';
import { diagnoseNodeGpu, releaseNodeGpu } from '../../node/node-gpu.ts';
import { probeGpu } from '../../node/probe-gpu.ts';
import type { GpuCommand } from '../arguments/parsed-command.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatCount, table } from '../terminal/text.ts';

/** `stria gpu`: the adapter, its limits and missing features. Falls back to a software GPU, as `--device gpu` does. */
export async function runGpu(_command: GpuCommand, { terminal }: CommandContext): Promise<ExitCode> {
  const { passedOver } = await probeGpu();
  let diagnosis = await diagnoseNodeGpu();
  if (diagnosis.state === 'no-adapter') diagnosis = await diagnoseNodeGpu({ software: true });
  releaseNodeGpu();
  terminal.result({ command: 'gpu', ...diagnosis, passedOver });
  terminal.say([describeDiagnosis(diagnosis), ...passedOver.map(describePassedOver)].join('\n'));
  return diagnosis.state === 'ready' ? exitCodes.ok : exitCodes.gpu;
}

/** An adapter that Dawn rejected, in one line. */
function describePassedOver(reason: string): string {
  return `Skipped an adapter: its driver is too old or lacks what WebGPU needs: ${displayText(reason)}.`;
}

/** A diagnosis as a table for people. */
export function describeDiagnosis({ adapter, limits, software, features, missingFeatures, advice }: GpuDiagnosis): string {
  if (!adapter || !limits) return advice;
  const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));
  const facts = [
    ['Adapter', adapter.description || adapter.device || 'unnamed'],
    ['Vendor', [adapter.vendor, adapter.architecture].filter((word) => word !== '').join(', ') || 'unknown'],
    ['Kind', software ? 'software, on the CPU' : 'hardware'],
    ['Features', list(features)],
    ['Missing', list(missingFeatures)],
  ];
  const limitRows = limitNames.map((name) => [`  ${name}`, formatCount(limits[name]), formatCount(defaultLimits[name])]);
  return [table(facts), '', table([['Limits', 'here', 'least'], ...limitRows], ['left', 'right', 'right']), '', advice].join(
    '\n',
  );
}
