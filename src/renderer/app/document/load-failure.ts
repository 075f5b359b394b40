import { faultToData } from '../../../core/shared/errors.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { suggestLayouts } from '../loading/raw-layout.ts';
import type { DocumentEvent } from './document-change.ts';
import { nameOf } from './opened-document.ts';

/** Extensions of files that contain only voxels. If no reader recognises such a file, the user is asked for its layout. */
const rawEndings = /\.(raw|bin|dat|vol|img|u8|u16|i16|f32)(\.gz)?$/i;

/** The event after a request could not be loaded: a question that may help, or the fault. */
export function loadFailure(request: OpenRequest, error: unknown): DocumentEvent {
  const fault = faultToData(error);
  // A recent file may have changed, and contain other volumes now.
  const isGone = fault.tag === 'invalid-input' && request.kind === 'file' && request.file.dataset !== undefined;
  if ((fault.tag === 'several' || isGone) && request.kind === 'file') {
    return { kind: 'ask', question: { kind: 'choice', file: request.file } };
  }
  const file = request.kind === 'file' && !request.raw ? request.file : undefined;
  const isUnknown = fault.tag === 'unsupported' || fault.tag === 'invalid-input';
  if (file && isUnknown && rawEndings.test(file.name)) {
    return { kind: 'ask', question: { kind: 'layout', file, suggestions: suggestLayouts(file.name, file.size) } };
  }
  const incomplete = fault.missing ? file : undefined;
  return { kind: 'fail', name: nameOf(request), fault, rawFile: isUnknown ? file : undefined, incomplete };
}
