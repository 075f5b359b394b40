import type { Host } from '../host/host.ts';
import { type LabFileKind, labFiles } from './lab/lab.ts';
import { labelStatisticsCsv } from './labels/label-csv.ts';
import { labelledVolume, labelTableOf } from './labels/label-tables.ts';
import type { Labels } from './labels/labels.ts';
import { measurementsCsv } from './measure/measurement-words.ts';
import { profileCsv } from './measure/profiles.ts';
import { timeCurvesCsv } from './measure/time-curves.ts';
import type { OpenDocument } from './state/document-state.ts';
import { layerVolume } from './state/layer-state.ts';
import { orNotice } from './state/or-notice.ts';
import { outputStem } from './state/output-state.ts';
import { type AppStore, openDocument } from './state/store.ts';

/** Saves and copies measurements, and the results of the Lab. */
export class Exports {
  readonly #host: Pick<Host, 'saveAs'>;
  readonly #store: AppStore;

  constructor(host: Pick<Host, 'saveAs'>, store: AppStore) {
    this.#host = host;
    this.#store = store;
  }

  /** Saves the results of the Lab. @param picture the content of a PNG; the other kinds are made from the state */
  async saveLab(kind: LabFileKind, picture?: Blob): Promise<void> {
    const { name, text } = labFiles(this.#store.getState().lab, kind);
    await this.#saveAs(name, async () =>
      picture ? new Uint8Array(await picture.arrayBuffer()) : new TextEncoder().encode(text),
    );
  }

  async saveText(name: string, text: string): Promise<void> {
    await this.#saveAs(name, async () => new TextEncoder().encode(text));
  }

  /** Saves the measurements as CSV. */
  async saveMeasurements(): Promise<void> {
    const { measurements } = this.#store.getState();
    if (await this.#saveCsv('measurements', () => this.#csv())) this.#store.setState({ savedMeasurements: measurements });
  }

  /** Saves the profile of the chosen distance as CSV. */
  async saveProfile(): Promise<void> {
    const { profile } = this.#store.getState();
    if (profile) await this.#saveCsv('profile', ({ info }) => profileCsv(profile, info));
  }

  /** Saves the shown and the pinned curves over time as CSV. */
  async saveTimeCurves(): Promise<void> {
    const { timeCurve, pinnedCurves } = this.#store.getState();
    const curves = timeCurve ? [timeCurve, ...pinnedCurves] : pinnedCurves;
    if (curves.length > 0) await this.#saveCsv('curve', () => timeCurvesCsv(curves));
  }

  /** Saves the statistics of an image inside the shown labels as CSV. @param image `baseId` or the id of a layer */
  async saveLabelStatistics(labels: Labels, image: string): Promise<void> {
    const state = this.#store.getState();
    const id = labelledVolume(state);
    const document = openDocument(state);
    if (id === undefined || !document) return;
    const volume = layerVolume(state.layers, id);
    const info = volume?.kind === 'ready' ? volume.info : document.info;
    await this.#saveAs(`${outputStem(document.name)}-labels.csv`, async () =>
      new TextEncoder().encode(labelStatisticsCsv(await labels.statistics(image), labelTableOf(state, id), info)),
    );
  }

  async copyMeasurements(): Promise<void> {
    const notice = await navigator.clipboard.writeText(this.#csv()).then(
      () => 'Measurements copied as CSV',
      () => 'The clipboard is not available here',
    );
    this.#store.setState({ notice });
  }

  #csv(): string {
    const { measurements, regions } = this.#store.getState();
    const document = openDocument(this.#store.getState());
    return document ? measurementsCsv(measurements, document.info, regions) : '';
  }

  /** Saves CSV in a file named after the open volume. Resolves with whether it was saved. */
  async #saveCsv(what: string, make: (document: OpenDocument) => string): Promise<boolean> {
    const document = openDocument(this.#store.getState());
    if (!document) return false;
    const csv = new TextEncoder().encode(make(document));
    return this.#saveAs(`${outputStem(document.name)}-${what}.csv`, async () => csv);
  }

  /** Resolves with whether it was saved. */
  async #saveAs(name: string, make: () => Promise<Uint8Array<ArrayBuffer>>): Promise<boolean> {
    let isSaved = false;
    await orNotice(this.#store, async () => {
      const sink = await this.#host.saveAs(name);
      if (!sink) return;
      try {
        await sink.write(await make());
        await sink.close();
      } catch (error) {
        await sink.abort().catch(() => undefined);
        throw error;
      }
      this.#store.setState({ notice: `${sink.name} is saved` });
      isSaved = true;
    });
    return isSaved;
  }
}
