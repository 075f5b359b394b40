import type { GpuDiagnosis } from '../../../core/gpu/diagnosis.ts';
import { diagnoseGpu } from '../../../core/gpu/gpu.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { AppState } from '../state/store.ts';

/** Information for bug reports: versions, the graphics adapter, the fault. No file names or content. */
export async function diagnosticsText(state: AppState, fault: FaultData | undefined): Promise<string> {
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
    // Of several volumes nothing is told: their names may name people.
    fault: fault && { tag: fault.tag, message: fault.choices ? 'several volumes' : fault.message, context: fault.context },
  };
  return JSON.stringify(report, undefined, 2);
}

function diagnosisOf({ gpu }: AppState): Promise<GpuDiagnosis> | GpuDiagnosis {
  if (gpu.kind === 'ready') return gpu.gpu.diagnosis;
  return gpu.kind === 'failed' ? gpu.diagnosis : diagnoseGpu(navigator.gpu);
}
