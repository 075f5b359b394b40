import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import {
  isTransformName,
  type MovingImage,
  motionOf,
  readTransform,
  storedMotion,
  type TransformFormat,
  transformText,
} from '../../../core/transforms/layer-transforms.ts';
import { isUsableTransform } from '../../../core/transforms/transform.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { Host, HostFile } from '../../host/host.ts';
import { centered, layerCenter, type MotionNumbers, matched, motionWith, transformPair } from '../../viewer/model/alignment.ts';
import type { LayerLook } from '../../viewer/model/layers.ts';
import { type Alignable, alignables, chosenAlignable } from '../state/alignable.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { MatrixFile } from '../state/layer-state.ts';
import { outputStem } from '../state/output-state.ts';
import { askNext } from '../state/questions.ts';
import type { AppStore } from '../state/store.ts';
import type { Layers } from './layers.ts';

/** How to apply a file with a matrix to a layer. */
export interface MatrixChoice {
  readonly id: string;
  readonly format: TransformFormat;
  readonly moving: MovingImage;
}

const endings: Readonly<Record<TransformFormat, string>> = { itk: 'tfm', fsl: 'mat', plain: 'txt' };
const mostBytes = 2 ** 16;

/** Moves and turns layers: by numbers, to the open volume, and by matrices in files. */
export class Alignment {
  readonly #host: Pick<Host, 'openDialog' | 'saveAs'>;
  readonly #store: AppStore;
  readonly #layers: Pick<Layers, 'change' | 'choose'>;

  constructor(host: Pick<Host, 'openDialog' | 'saveAs'>, store: AppStore, layers: Pick<Layers, 'change' | 'choose'>) {
    this.#host = host;
    this.#store = store;
    this.#layers = layers;
    store.subscribe(({ overlay, document }, before) => {
      if (before.overlay === 'matrix' && overlay !== 'matrix') this.#show(undefined);
      else if (overlay === 'matrix' && !isSameDocument(document, before.document)) store.setState({ overlay: 'none' });
    });
  }

  /** Shows or hides the handles of the chosen layer. */
  toggle(): void {
    this.#store.setState(({ layers }) => ({ layers: { ...layers, aligning: !layers.aligning } }));
  }

  /** Puts the chosen layer back to where its file places it. */
  reset(): void {
    this.#move(() => undefined);
  }

  /** Moves the centre of the chosen layer to the centre of the open volume. */
  center(): void {
    this.#move(({ base, layer, look }) => centered(base, layer, look.motion));
  }

  /** Turns the chosen layer's axes parallel to those of the open volume. */
  match(): void {
    this.#move(({ base, layer, look }) => matched(base, layer, look.motion));
  }

  setNumbers(numbers: Omit<MotionNumbers, 'isRigid'>): void {
    this.#move(({ base, layer, look }) => motionWith(look.motion, layerCenter(base, layer), numbers));
  }

  /** Asks for a file with a matrix. @throws StriaError like `readTransform` */
  async loadDialog(): Promise<void> {
    const [file] = await this.#host.openDialog();
    if (file) await this.#ask(file);
  }

  /** Whether the files may hold a matrix, and there is a layer that it could move. */
  mayTake(files: readonly HostFile[]): boolean {
    const [file, second] = files;
    if (!file || second) return false;
    if (/\.tfm$/i.test(file.name)) return true;
    return alignables(this.#store.getState()).length > 0 && file.size <= mostBytes && /\.(mat|txt)$/i.test(file.name);
  }

  /**
   * Asks what a file with a matrix should do. @returns whether it holds one; a text file may hold something else
   * @throws StriaError like `readTransform`, `invalid-input` if there is no layer
   */
  async take(file: HostFile): Promise<boolean> {
    if (alignables(this.#store.getState()).length === 0)
      throw new StriaError('invalid-input', `${file.name} holds a matrix, which moves a layer. Add a layer first`);
    try {
      await this.#ask(file);
      return true;
    } catch (error) {
      if (isTransformName(file.name)) throw error;
      return false;
    }
  }

  /** Moves a layer by the matrix in the dialog's file. */
  apply({ id, format, moving }: MatrixChoice): void {
    const state = this.#store.getState();
    const { matrix } = state.layers;
    const found = alignables(state).find(({ look }) => look.id === id);
    if (!matrix || !found) return;
    const motion = motionOf(matrix.stored.numbers, format, transformPair(found.base, found.layer), moving);
    if (!isUsableTransform(motion)) {
      const fault = new StriaError('unsupported', 'the matrix moves the layer too far or flattens it');
      this.#show({ ...matrix, fault: faultToData(fault) });
      return;
    }
    this.#layers.choose(id);
    this.#layers.change(id, { motion });
    this.#store.setState({ overlay: 'none' });
  }

  /** Saves the chosen layer's motion. @throws StriaError of the host */
  async save(format: TransformFormat): Promise<void> {
    const found = chosenAlignable(this.#store.getState());
    if (!found) return;
    const { look, base, layer } = found;
    const motion = look.motion ?? [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
    const text = transformText(storedMotion(motion, format, transformPair(base, layer)), format);
    const stem = outputStem(look.name);
    const sink = await this.#host.saveAs(`${stem}.${endings[format]}`);
    if (!sink) return;
    try {
      await sink.write(new TextEncoder().encode(text));
      await sink.close();
    } catch (error) {
      await sink.abort().catch(() => undefined);
      throw error;
    }
    this.#store.setState({ notice: `${sink.name} is saved` });
  }

  async #ask(file: HostFile): Promise<void> {
    const stored = await readTransform(sourceOf(file.handle));
    await askNext(this.#store, () => {
      // The volume or the layers may be gone by now.
      if (alignables(this.#store.getState()).length === 0) return;
      this.#show({ name: file.name, stored, fault: undefined });
      this.#store.setState({ overlay: 'matrix' });
    });
  }

  #show(matrix: MatrixFile | undefined): void {
    this.#store.setState(({ layers }) => ({ layers: { ...layers, matrix } }));
  }

  #move(motionOf: (chosen: Alignable) => LayerLook['motion']): void {
    const chosen = chosenAlignable(this.#store.getState());
    if (!chosen) return;
    const motion = motionOf(chosen);
    if (motion && !isUsableTransform(motion)) return;
    this.#layers.change(chosen.look.id, { motion });
  }
}
