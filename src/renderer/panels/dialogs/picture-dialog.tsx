import { Copy, Download } from 'lucide-react';
import { plannedSize, sizeProblem } from '../../app/output/view-pictures.ts';
import type { OutputSize, PictureOptions } from '../../app/state/output-options.ts';
import type { PictureBackground } from '../../viewer/model/picture.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './picture-dialog.module.css';
import { Sheet } from './sheet.tsx';

const sizes: readonly { readonly key: OutputSize; readonly label: string }[] = [
  { key: 'screen', label: '1×' },
  { key: 'double', label: '2×' },
  { key: '4k', label: '4K' },
  { key: 'own', label: 'Custom' },
];
const backgrounds: readonly { readonly key: PictureBackground; readonly label: string }[] = [
  { key: 'screen', label: 'Dark' },
  { key: 'white', label: 'White' },
  { key: 'transparent', label: 'Transparent' },
];

/** Asks for the options of a picture, then saves or copies it. */
export function PictureDialog({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const { output } = app;
  const options = useAppState((state) => state.output.picture);
  const work = useAppState((state) => state.output.pictureWork);
  const canDraw = useCanDraw(options);
  const isWorking = work.kind === 'working';
  const close = () => {
    if (isWorking) output.cancelPicture();
    onDone();
  };
  return (
    <Sheet title="Save picture" onDone={close} testId="picture-dialog">
      <ViewChoice views={useViews()} />
      <PictureFields options={options} />
      {work.kind === 'failed' && <FaultNotice fault={work.fault} doing="saving" />}
      <div className={styles.actions}>
        <p className={styles.note} role="status">
          {isWorking ? 'Drawing…' : <PlannedSize options={options} />}
        </p>
        {!isWorking && <CommandButton id="movie" kind="quiet" before={onDone} />}
        {isWorking ? (
          <Button onPress={() => output.cancelPicture()}>Cancel</Button>
        ) : (
          <>
            <Button isDisabled={!canDraw} onPress={() => void output.copyPicture()} testId="picture-copy">
              <Copy size={14} aria-hidden />
              Copy
            </Button>
            <Button kind="primary" isDisabled={!canDraw} onPress={() => void output.savePicture()} testId="picture-save">
              <Download size={14} aria-hidden />
              Save PNG…
            </Button>
          </>
        )}
      </div>
    </Sheet>
  );
}

type View = PictureOptions['view'];
const viewNames: Readonly<Record<View, string>> = {
  '3d': '3D view',
  oblique: 'Oblique slice',
  z: 'Slice across z',
  y: 'Slice across y',
  x: 'Slice across x',
  layout: 'Whole layout',
};

/** The views on screen, and the whole layout if there are several. The layout cannot change while the dialog is open. */
export function useViews(): readonly View[] {
  const { scene } = useApp().output;
  const shown = scene?.viewer.views.shownSizes();
  const views = (['3d', 'oblique', 'z', 'y', 'x'] as const).filter((view) => shown?.has(view));
  return views.length > 1 ? [...views, 'layout'] : views;
}

/** Chooses a view among those on screen. */
export function ViewChoice({ views, label = 'View' }: { readonly views: readonly View[]; readonly label?: string }) {
  const { output } = useApp();
  const { view } = useAppState((state) => state.output.picture);
  const [first] = views;
  const chosen = views.includes(view) ? view : first;
  if (chosen === undefined) return null;
  if (chosen !== view) queueMicrotask(() => output.setPicture({ view: chosen }));
  return (
    <Select
      label={label}
      options={views.map((key) => ({ key, label: viewNames[key] }))}
      value={chosen}
      onChange={(next) => output.setPicture({ view: next })}
      testId="picture-view"
    />
  );
}

/** Size, annotations and background of a picture, and of every frame of a movie. */
export function PictureFields({ options, isOpaque = false }: { readonly options: PictureOptions; readonly isOpaque?: boolean }) {
  const { output } = useApp();
  const { size, width, height, isAnnotated, background } = options;
  const length = (label: string, value: number, key: 'width' | 'height') => (
    <NumberInput label={label} value={value} minimum={16} isWhole onChange={(next) => output.setPicture({ [key]: next })} />
  );
  return (
    <>
      <Row label="Size">
        <Segmented label="Size" segments={sizes} value={size} onChange={(next) => output.setPicture({ size: next })} />
      </Row>
      {size === 'own' && (
        <div className={styles.lengths}>
          {length('Width, pixels', width, 'width')}
          {length('Height, pixels', height, 'height')}
        </div>
      )}
      <Row label="Background">
        <Segmented
          label="Background"
          segments={isOpaque ? backgrounds.filter(({ key }) => key !== 'transparent') : backgrounds}
          value={background}
          onChange={(next) => output.setPicture({ background: next })}
        />
      </Row>
      <Toggle
        label="Labels, crosshair, frame and scale bar"
        isOn={isAnnotated}
        onChange={(next) => output.setPicture({ isAnnotated: next })}
        testId="picture-annotated"
      />
    </>
  );
}

/** `3840 × 2160 pixels`, or why this size is not possible. */
export function PlannedSize({ options }: { readonly options: PictureOptions }) {
  const { scene } = useApp().output;
  const size = scene && plannedSize(options, scene);
  if (!scene || !size) return null;
  const problem = sizeProblem(options, scene);
  return (
    <span className={problem === undefined ? undefined : styles.problem} data-testid="picture-size">
      {problem ?? `${size.width} × ${size.height} pixels`}
    </span>
  );
}

/** Whether a picture with these options can be drawn. */
export function useCanDraw(options: PictureOptions): boolean {
  const { scene } = useApp().output;
  return scene !== undefined && sizeProblem(options, scene) === undefined;
}
