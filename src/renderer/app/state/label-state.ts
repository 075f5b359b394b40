import type { FaultData } from '../../../core/shared/errors.ts';
import type { LabelTable } from '../../../core/shared/label-table.ts';
import type { LabelCounts } from '../../../core/volume/label-counts.ts';

/** A table that was loaded from a file. Looks refer to it by its id (`LabelLook.table`). */
export interface LoadedTable {
  /** The file's name. */
  readonly name: string;
  readonly table: LabelTable;
}

/** The labels of the open volume and of the layers. The user's choices are parts of the view: `LabelLook`. */
export interface LabelsState {
  /** Whether the open volume is drawn as labels. */
  readonly isBaseLabels: boolean;
  /** The loaded tables, by id. */
  readonly loaded: Readonly<Record<string, LoadedTable>>;
  /** Counts of the volume whose table is shown; its id is `baseId` or a layer's. */
  readonly counted: /** `done`: the share, 0…1, of the file that has been read. Undefined if the GPU counts. */
    | { readonly id: string; readonly kind: 'counting'; readonly done?: number | undefined }
    /** The GPU holds only a part of the voxels. The labels are counted from the file on request. */
    | { readonly id: string; readonly kind: 'partial' }
    | { readonly id: string; readonly kind: 'failed'; readonly fault: FaultData }
    | { readonly id: string; readonly kind: 'ready'; readonly counts: LabelCounts }
    | undefined;
  /** The label whose row is marked. */
  readonly chosen: { readonly id: string; readonly number: number } | undefined;
  /** Why a table was not loaded. */
  readonly fault: FaultData | undefined;
  /** The progress, 0…1, of measuring the statistics that are being saved. */
  readonly measuring: number | undefined;
}

export const firstLabels: LabelsState = {
  isBaseLabels: false,
  loaded: {},
  counted: undefined,
  chosen: undefined,
  fault: undefined,
  measuring: undefined,
};
