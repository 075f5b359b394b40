import type { CodecOptions, Preference } from '../../../core/codec/codec.ts';
import type { JsonObject } from '../../../core/format/json.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { HostFile } from '../../host/host.ts';
import type { ClockSettings } from '../../playback/frame-clock.ts';
import type { StackAxis } from '../../playback/stacks.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { Viewpoints } from '../../viewer/model/same-place.ts';
import type { Layout, SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { SampleChoice } from './samples.ts';
import type { Effort } from './settings.ts';

// docs/SESSION.md says what each key is.

/** A file of the volume. */
export interface SessionPart {
  /** From the session's folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** See core/format/fingerprint.ts. Undefined: of many pictures only some are looked into. */
  readonly fingerprint?: string | undefined;
}

export type SessionSource =
  | { readonly files: readonly SessionPart[]; readonly raw?: RawLayout | undefined }
  | { readonly sample: SampleChoice };

/** What a session brings back: what was open, and how it was looked at. */
export interface SavedSession {
  readonly source: SessionSource;
  /** A ViewState as JSON: `viewFrom` makes one of it. */
  readonly view: JsonObject;
  /** Of the views that were shown. */
  readonly viewpoints: Viewpoints;
  readonly layout: Layout;
  readonly sliceAxis: SliceAxis;
  readonly showChunks: boolean;
  /** The 3D view has handles on its clip planes. */
  readonly clipHandles: boolean;
  readonly compression: {
    readonly codec: string;
    readonly axis: CodecOptions['axis'];
    readonly prefer: Preference;
    readonly effort: Effort;
  };
  readonly measurements: readonly Measurement[];
  /** `axis` is undefined where nothing was played. */
  readonly playback: ClockSettings & { readonly axis: StackAxis | undefined };
}

/** A session whose volume's files were not all found. Files given later complete it. */
export interface WaitingSession {
  readonly file: HostFile;
  readonly saved: SavedSession;
  /** The names that are missing, and why a file of that name that was given is not the one. */
  readonly missing: readonly { readonly name: string; readonly reason: string | undefined }[];
  /** What is there, by the place in the session's list. */
  readonly found: readonly (HostFile | undefined)[];
}
