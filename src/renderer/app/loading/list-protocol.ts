import type { FolderHeaders } from '../../../core/io/folder-headers.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { GrayThumbnail, VolumeChoice } from '../../../core/shared/volume-choice.ts';
import type { LoadRequest } from './load-protocol.ts';

/** From the window to the worker. */
export type ListCommand =
  | { readonly kind: 'list'; readonly request: LoadRequest }
  | { readonly kind: 'thumbnail' | 'forget'; readonly id: string };

/** From the worker to the window. */
export type ListMessage =
  | { readonly kind: 'choices'; readonly choices: readonly VolumeChoice[]; readonly headers: FolderHeaders | undefined }
  | { readonly kind: 'thumbnail'; readonly id: string; readonly thumbnail: GrayThumbnail | undefined }
  | { readonly kind: 'fault'; readonly fault: FaultData };
