import type { FaultData, FaultTag } from '../../../core/shared/errors.ts';

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
    title: 'The file is damaged, or not what its name says',
    advice: 'Check that it is whole: copy or download it again.',
    severity: 'error',
  },
  unsupported: {
    title: 'Stria does not read this kind of file yet',
    advice: 'It opens NIfTI (.nii, .nii.gz, .hdr with .img), NRRD (.nrrd, .nhdr), raw voxels and .stria.',
    severity: 'error',
  },
  'invalid-input': {
    title: 'What was asked does not fit the file',
    advice: 'Check dimensions, element type and offset against the details below.',
    severity: 'error',
  },
  'not-readable': {
    title: 'The file cannot be read',
    advice: 'See whether it is still there and whether you may read it. A detached header needs its data file dropped with it.',
    severity: 'error',
  },
  'not-writable': {
    title: 'The file cannot be written',
    advice: 'Free some space, or choose a folder that you may write to. Nothing was left behind.',
    severity: 'error',
  },
  'no-webgpu': {
    title: 'There is no WebGPU here',
    advice: 'Use a current Chrome or Edge, or the desktop app. Dropped files are still compressed, on the processor.',
    severity: 'warning',
  },
  'no-adapter': {
    title: 'No graphics adapter was found',
    advice: 'Update the graphics driver, or restart in compatibility mode. Dropped files are still compressed, on the processor.',
    severity: 'warning',
  },
  'limit-too-small': {
    title: 'The graphics adapter is too small for this',
    advice: 'Drop the file together with another one to compress it in pieces, without showing it.',
    severity: 'error',
  },
  'device-lost': {
    title: 'The graphics device was lost',
    advice: 'Stria asks for a new one and comes back to where it was. No data is lost.',
    severity: 'warning',
  },
  'out-of-memory': {
    title: 'There is not enough memory',
    advice: 'Close other programs or volumes and try again. The command `stria compress` needs less.',
    severity: 'error',
  },
  aborted: {
    title: 'Cancelled',
    advice: 'Nothing was left behind.',
    severity: 'warning',
  },
  internal: {
    title: 'Something went wrong inside Stria',
    advice: 'Please report it with the diagnostics. Your file was not changed.',
    severity: 'error',
  },
};

/** The fault's own words with the place where it happened: `scan.stria, chunk 12: the payload ends 3 bytes early`. */
export function faultDetails(fault: FaultData): string {
  return fault.context.length === 0 ? fault.message : `${fault.context.join(', ')}: ${fault.message}`;
}
