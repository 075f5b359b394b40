import { displayText } from '../../../core/shared/display-text.ts';
import type { FaultData, FaultTag } from '../../../core/shared/errors.ts';
import { gzipWords, readableFiles } from '../../../core/shared/readable-formats.ts';

/** A fault in words for people. The fault's own message is shown as the details. */
export interface FaultWords {
  /** What happened, without a full stop. */
  readonly title: string;
  /** What to do, one or two sentences. */
  readonly advice: string;
  readonly severity: 'error' | 'warning';
}

/** Every tag has words: a new one does not compile until it stands here too. */
export const faultWords: Readonly<Record<FaultTag, FaultWords>> = {
  corrupt: {
    title: 'The file is damaged, or is not the kind that its name says',
    advice: 'Copy or download it again.',
    severity: 'error',
  },
  unsupported: {
    title: 'Stria cannot read this kind of file',
    advice: `It opens .stria, ${readableFiles}. ${gzipWords}.`,
    severity: 'error',
  },
  'invalid-input': {
    title: 'The request does not fit the file',
    advice: 'Check the dimensions, element type and offset against the details below.',
    severity: 'error',
  },
  several: {
    title: 'There are several volumes in it',
    advice: 'Open it by itself and choose one.',
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
    advice: 'Use a current Chrome or Edge, or the desktop app. Stria still compresses dropped files, on the processor.',
    severity: 'warning',
  },
  'no-adapter': {
    title: 'No graphics adapter was found',
    advice:
      'Update the graphics driver, or restart in compatibility mode. Stria still compresses dropped files, on the processor.',
    severity: 'warning',
  },
  'limit-too-small': {
    title: 'The graphics adapter’s limits are too small for this volume',
    advice: 'To compress it without showing it, drop it together with another file.',
    severity: 'error',
  },
  'device-lost': {
    title: 'The graphics device was lost',
    advice: 'Stria is requesting a new one and will restore the view. No data is lost.',
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

/** The same where something is made or saved, and no file is read. */
const savingWords: Partial<Readonly<Record<FaultTag, FaultWords>>> = {
  unsupported: {
    title: 'This cannot be done here',
    advice: 'Choose another format or size, or use the desktop app.',
    severity: 'error',
  },
  'invalid-input': {
    title: 'What was asked cannot be made',
    advice: 'Check what was chosen against the details below.',
    severity: 'error',
  },
};

/** @param doing what people did when it happened */
export function wordsOf(tag: FaultTag, doing: 'opening' | 'saving' = 'opening'): FaultWords {
  return (doing === 'saving' ? savingWords[tag] : undefined) ?? faultWords[tag];
}

/** The fault's own words with the place where it happened: `scan.stria, chunk 12: the payload ends 3 bytes early`. */
export function faultDetails(fault: FaultData): string {
  return displayText(fault.context.length === 0 ? fault.message : `${fault.context.join(', ')}: ${fault.message}`);
}
