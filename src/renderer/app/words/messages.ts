import { displayText } from '../../../core/shared/display-text.ts';
import type { FaultData, FaultTag } from '../../../core/shared/errors.ts';

/** The app's words for a fault. The fault's own message is shown as the details. */
export interface FaultWords {
  /** What happened, without a full stop. */
  readonly title: string;
  /** What to do, one or two sentences. */
  readonly advice: string;
  readonly severity: 'error' | 'warning';
}

/** A new tag does not compile until it has words here. */
export const faultWords: Readonly<Record<FaultTag, FaultWords>> = {
  corrupt: {
    title: 'The file is damaged, or its extension does not match its content',
    advice: 'Copy or download the file again.',
    severity: 'error',
  },
  unsupported: {
    title: 'Stria cannot read this kind of file',
    advice: 'Convert it with another program. If it holds plain voxels, open it as raw voxels.',
    severity: 'error',
  },
  'invalid-input': {
    title: 'These settings do not fit the file',
    advice: 'Check the dimensions, element type and offset against the details below.',
    severity: 'error',
  },
  several: {
    title: 'The file holds several volumes',
    advice: 'Open it alone and choose one. The command `stria compress` selects one with `--dataset`.',
    severity: 'warning',
  },
  'not-readable': {
    title: 'The file cannot be read',
    advice:
      'Check that it still exists and that you have permission to read it. Drop a detached header together with its data file.',
    severity: 'error',
  },
  'not-writable': {
    title: 'The file cannot be written',
    advice: 'Free some space, or choose a folder where you may write. No partial file was left.',
    severity: 'error',
  },
  'no-webgpu': {
    title: 'WebGPU is not available',
    advice: 'Use a current version of Chrome or Edge, or the desktop app.',
    severity: 'warning',
  },
  'no-adapter': {
    title: 'No graphics adapter was found',
    advice: 'Update the graphics driver, or restart in compatibility mode.',
    severity: 'warning',
  },
  'limit-too-small': {
    title: 'The volume exceeds the limits of this graphics adapter',
    advice: 'To compress it without showing it, drop it together with another file.',
    severity: 'error',
  },
  'device-lost': {
    title: 'The graphics device was lost',
    advice: 'Stria is requesting a new one and will restore the view. Compress again if the result is missing.',
    severity: 'warning',
  },
  'out-of-memory': {
    title: 'There is not enough memory',
    advice: 'Close other programs or volumes and try again. The command `stria compress` needs less.',
    severity: 'error',
  },
  aborted: {
    title: 'Cancelled',
    advice: 'No partial file was left.',
    severity: 'warning',
  },
  internal: {
    title: 'Internal error',
    advice: 'Please report it with the diagnostics. Your file was not changed.',
    severity: 'error',
  },
};

/** Words for faults while drawing or saving, where the words above would wrongly speak of reading a file. */
const savingWords: Partial<Readonly<Record<FaultTag, FaultWords>>> = {
  unsupported: {
    title: 'This is not possible here',
    advice: 'Choose another format or size, or use the desktop app.',
    severity: 'error',
  },
  'invalid-input': {
    title: 'These settings cannot be used',
    advice: 'Check them against the details below.',
    severity: 'error',
  },
};

/** @param doing what the user was doing when it happened */
export function wordsOf(tag: FaultTag, doing: 'opening' | 'saving' = 'opening'): FaultWords {
  return (doing === 'saving' ? savingWords[tag] : undefined) ?? faultWords[tag];
}

/** The fault's own message with the place where it happened: `scan.stria, chunk 12: the payload ends 3 bytes early`. */
export function faultDetails(fault: FaultData): string {
  return displayText(fault.context.length === 0 ? fault.message : `${fault.context.join(', ')}: ${fault.message}`);
}
