import { Maximize2, Minimize2, Play } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { Button } from 'react-aria-components';
import { mostSlabSlices } from '../../../core/draw/slab-plane.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { openDocument } from '../../app/state/store.ts';
import { numberOf, ofCount } from '../../app/words/counting.ts';
import { thinSpace } from '../../app/words/units.ts';
import { isMeasuring } from '../../viewer/model/measure.ts';
import { safeSpacing, sliceFrame } from '../../viewer/model/orientation.ts';
import { slabChoice, slabOf } from '../../viewer/model/slab.ts';
import type { Layout, LevelsState, SliceAxis, SliceName, ViewName } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { classes } from '../controls/classes.ts';
import { Range } from '../controls/range.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import { projectionNames } from '../inspector/volume-controls.tsx';
import { AlignHandles } from './align-handles.tsx';
import { AlignSpaceHandles } from './align-space-handles.tsx';
import { ClipHandles } from './clip-handles.tsx';
import { CutHandles } from './cut-handles.tsx';
import { ObliqueHandles } from './oblique-handles.tsx';
import { OrientationCube } from './orientation-cube.tsx';
import { SpaceScale } from './space-scale.tsx';
import styles from './viewport-pane.module.css';

export interface VolumePaneProps {
  readonly viewer: Viewer;
  readonly info: VolumeInfo;
  readonly isShown: boolean;
  readonly isSecond: boolean;
}

export function VolumePane({ viewer, info, isShown, isSecond }: VolumePaneProps) {
  const projection = useViewerPart(viewer, ({ state }) => state.projection);
  const hasVolume = useAppState((state) => openDocument(state)?.space === undefined);
  const prefix = isSecond ? 'second-' : '';
  return (
    <section
      className={styles.pane}
      data-view="3d"
      hidden={!isShown}
      aria-label={isSecond ? '3D view of the second volume' : '3D view'}
    >
      <Canvas
        viewer={viewer}
        view="3d"
        isSecond={isSecond}
        label="3D view. Drag to rotate, scroll to zoom, drag with the right button to pan."
      />
      <div className={styles.label}>
        3D {hasVolume && <span>{projectionNames[projection].toLowerCase()}</span>}
        <Resolution viewer={viewer} />
      </div>
      <ObliqueHandles viewer={viewer} info={info} prefix={prefix} />
      <ClipHandles viewer={viewer} info={info} prefix={prefix} />
      <CutHandles viewer={viewer} info={info} prefix={prefix} />
      {!isSecond && <AlignSpaceHandles viewer={viewer} />}
      <OrientationCube viewer={viewer} info={info} />
      <SpaceScale viewer={viewer} info={info} />
      <AloneButton alone="3d" />
    </section>
  );
}

export interface SlicePaneProps {
  readonly viewer: Viewer;
  readonly info: VolumeInfo;
  readonly axis: SliceAxis;
  readonly isShown: boolean;
  readonly isSecond: boolean;
}

export function SlicePane({ viewer, info, axis, isShown, isSecond }: SlicePaneProps) {
  const { store } = useApp();
  const index = 'xyz'.indexOf(axis) as 0 | 1 | 2;
  const last = info.dims[index] - 1;
  const moveTo = (at: number, along: number) => {
    const crosshair = [...viewer.snapshot().state.crosshair] as [number, number, number];
    crosshair[along] = at;
    viewer.set({ crosshair });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && isMeasuring(store.getState().tool)) {
      event.preventDefault();
      viewer.overlays.measureAtCrosshair(axis);
      return;
    }
    const { right, down } = sliceFrame(info, axis);
    const moves: Record<string, { axis: number; by: number }> = {
      ArrowRight: { axis: right.axis, by: right.sign },
      ArrowLeft: { axis: right.axis, by: -right.sign },
      ArrowDown: { axis: down.axis, by: down.sign },
      ArrowUp: { axis: down.axis, by: -down.sign },
      PageUp: { axis: index, by: 1 },
      PageDown: { axis: index, by: -1 },
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    moveTo(
      (viewer.snapshot().state.crosshair[move.axis as 0 | 1 | 2] as number) + move.by * (event.shiftKey ? 10 : 1),
      move.axis,
    );
    viewer.probe.readCrosshair();
  };
  // Pointer enter and leave do not suffice: a layout change under a resting pointer fires neither in time.
  const choose = () => {
    if (store.getState().sliceAxis !== axis) store.setState({ sliceAxis: axis });
  };
  const read = useCallback(() => viewer.snapshot().state.crosshair[index], [viewer, index]);
  const words = useCallback((at: number) => `slice ${ofCount(at, last + 1)}`, [last]);
  return (
    <section
      className={styles.pane}
      data-axis={axis}
      hidden={!isShown}
      aria-label={`Slice across ${axis}${isSecond ? ' of the second volume' : ''}`}
      onPointerMove={choose}
      onFocus={choose}
    >
      <Canvas
        viewer={viewer}
        view={axis}
        isSecond={isSecond}
        label={`Slice across ${axis}. Arrow keys move the crosshair, Page Up and Page Down change the slice. Enter sets a point while measuring.`}
        onKeyDown={onKeyDown}
      />
      {!isSecond && <AlignHandles viewer={viewer} view={axis} />}
      <SlabLabel viewer={viewer} info={info} axis={axis} />
      <FaultLabel viewer={viewer} view={axis} />
      <OutlinesLabel />
      <FitButton viewer={viewer} view={axis} />
      <AloneButton alone="slice" axis={axis} />
      <div className={styles.strip}>
        {!isSecond && <PlayButton axis={axis} />}
        <b>{axis}</b>
        <Range
          label={`Slice across ${axis}`}
          minimum={0}
          maximum={last}
          step={1}
          read={read}
          subscribe={viewer.subscribe}
          onInput={(at) => moveTo(at, index)}
          words={words}
          testId={`${isSecond ? 'second-' : ''}slider-${axis}`}
        />
        <span className={styles.number}>
          <SliceIndex viewer={viewer} index={index} />
          <span className={styles.last}>
            {thinSpace}/{thinSpace}
            {last + 1}
          </span>
        </span>
      </div>
    </section>
  );
}

/** Label of a slab: how it combines slices, and how many. */
function SlabLabel({ viewer, info, axis }: { readonly viewer: Viewer; readonly info: VolumeInfo; readonly axis: SliceAxis }) {
  const choice = useViewerPart(viewer, ({ state }) => slabChoice(state, axis));
  const slab = slabOf(choice, safeSpacing(info)['xyz'.indexOf(axis) as 0 | 1 | 2]);
  if (!slab) return null;
  const { slices, kind } = slab;
  return (
    <div className={styles.label} title="The readout shows values of the middle slice">
      {kind} <span>of {slices === mostSlabSlices ? `${slices} slices, the limit` : `${slices} slices`}</span>
    </div>
  );
}

/** How much of a volume that is too large for GPU memory the 3D view shows. */
function Resolution({ viewer }: { readonly viewer: Viewer }) {
  const decimation = useViewerPart(viewer, (snapshot) => snapshot.decimation);
  const bricks = useViewerPart(viewer, (snapshot) => snapshot.bricks3d);
  const layersAt = useViewerPart(viewer, (snapshot) => snapshot.layersAt);
  const preview = useAppState((state) => previewOf(openDocument(state)));
  const lacksMemory = useAppState((state) => openDocument(state)?.lacksMemory);
  if (bricks && !bricks.fault) {
    const { isLoading, unread, levels } = bricks;
    // Bricks of a file that cannot be read are tried for a while.
    if (isLoading && levels?.kind !== 'failed') return <span role="status">loading detail</span>;
    if (unread !== undefined) {
      return (
        <span className={styles.warning} role="status" title={unread}>
          coarse in places: the file cannot be read
        </span>
      );
    }
    return layersAt === 1 ? <LevelsLine levels={levels} /> : <LayersLine layersAt={layersAt} />;
  }
  if (decimation === 1) return layersAt === 1 ? null : <LayersLine layersAt={layersAt} />;
  if (preview === 'loading') return <span role="status">loading, middle slices first</span>;
  if (preview === 'failed') return <span className={styles.warning}>only the middle slices loaded</span>;
  return (
    <span className={styles.warning} title={bricks?.fault}>
      shown at 1/{decimation} resolution{lacksMemory && ': the GPU had no memory for more'}
    </span>
  );
}

/** Layers that the 3D view draws at a lower resolution. */
function LayersLine({ layersAt }: { readonly layersAt: number }) {
  return (
    <span
      className={styles.warning}
      role="status"
      title="GPU memory holds these layers at a lower resolution, and the 3D view cannot draw them brick by brick. Slices show them at full resolution."
    >
      layers shown at 1/{layersAt} resolution
    </span>
  );
}

/** The progress of levels that are made in the background, or why there are none. */
function LevelsLine({ levels }: { readonly levels: LevelsState | undefined }) {
  if (levels?.kind === 'making') {
    return <span title="Until they are made, only some of the voxels are shown">making levels, {levels.percent} %</span>;
  }
  if (levels?.kind !== 'failed' && levels?.kind !== 'too-large') return null;
  const [why, title] =
    levels.kind === 'failed'
      ? ['levels could not be made', `${levels.message}. To try again, open the file again.`]
      : ['no host memory for levels', 'Settings, bricks in host memory'];
  return (
    <span className={styles.warning} role="status" title={title}>
      skips voxels: {why}
    </span>
  );
}

/** Whether a document is only a preview, and whether the rest is still loading. */
function previewOf(document: OpenDocument | undefined): 'loading' | 'failed' | undefined {
  if (!document?.isPreview) return undefined;
  return document.isRefining ? 'loading' : 'failed';
}

const sliceWords = { loading: 'parts are still loading', failed: 'parts could not be loaded' } as const;

/** Why a slice is incomplete, or shown at a lower resolution than the file has. */
export function FaultLabel({ viewer, view }: { readonly viewer: Viewer; readonly view: SliceName }) {
  const decimation = useViewerPart(viewer, (snapshot) => snapshot.decimation);
  const fault = useViewerPart(viewer, (snapshot) => snapshot.detailFaults[view]);
  const isReadWhole = useAppState((state) => openDocument(state)?.isReadWhole === true) && decimation > 1;
  const preview = useAppState((state) => previewOf(openDocument(state)));
  if (preview && decimation > 1) {
    return (
      <div className={classes(styles.label, styles.fault)} role="status">
        <span className={preview === 'failed' ? styles.warning : undefined}>{sliceWords[preview]}</span>
      </div>
    );
  }
  if (!isReadWhole && fault === undefined) return null;
  const isOfVolume = isReadWhole || fault?.layer === undefined;
  const why = isReadWhole ? ': this file can only be read whole' : fault?.isTooMuch ? '' : ': the file cannot be read';
  const advice = 'Compress it to a .stria with levels to see it at full resolution';
  return (
    <div className={classes(styles.label, styles.fault)} role="status" title={isReadWhole ? advice : fault?.message}>
      <span className={styles.warning}>
        {isOfVolume ? '' : `${fault.layer.name} `}shown at 1/{isOfVolume ? decimation : fault.layer.decimation} resolution{why}
      </span>
    </div>
  );
}

/** The label of a slice when surfaces are open without a volume. */
function OutlinesLabel() {
  const isSpace = useAppState((state) => openDocument(state)?.space !== undefined);
  if (!isSpace) return null;
  return (
    <div className={styles.label}>
      outlines <span>no volume</span>
    </div>
  );
}

/** The slice's number. Written straight to the DOM, since it changes at pointer rate. */
function SliceIndex({ viewer, index }: { readonly viewer: Viewer; readonly index: 0 | 1 | 2 }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const show = () => {
      if (place.current) place.current.textContent = String(numberOf(viewer.snapshot().state.crosshair[index]));
    };
    show();
    return viewer.subscribe(show);
  }, [viewer, index]);
  return <span ref={place} />;
}

/** Plays the slices, if there are several, and opens the transport bar. */
function PlayButton({ axis }: { readonly axis: SliceAxis }) {
  const app = useApp();
  const canPlay = useAppState(({ playback }) => playback?.stacks.some((stack) => stack.axis === axis) === true);
  if (!canPlay) return null;
  return (
    <Button
      className={classes(styles.play)}
      aria-label={`Play slices across ${axis}`}
      onPress={() => app.playback.playAlong(axis)}
      data-testid={`play-${axis}`}
    >
      <Play size={12} aria-hidden />
    </Button>
  );
}

/** Fits a slice that was panned or zoomed. Hidden for other slices. */
export function FitButton({ viewer, view }: { readonly viewer: Viewer; readonly view: SliceName }) {
  const subscribe = useCallback((listener: () => void) => viewer.loop.onDrawn(listener), [viewer]);
  const isMoved = useSyncExternalStore(subscribe, () => viewer.views.isMoved(view));
  if (!isMoved) return null;
  return (
    <Button
      className={classes(styles.fit)}
      aria-label={`Fit the ${view === 'oblique' ? 'oblique slice' : `slice across ${view}`}`}
      onPress={() => viewer.views.fit(view)}
    >
      Fit
    </Button>
  );
}

/** Shows only this view, or all views again. */
function AloneButton({ alone, axis }: { readonly alone: Layout; readonly axis?: SliceAxis }) {
  const app = useApp();
  const isAlone = useAppState((state) => state.settings.layout === alone);
  return (
    <Button
      className={classes(styles.alone)}
      aria-label={isAlone ? 'Show all views' : 'Show only this view'}
      onPress={() => app.view.toggleAlone(axis)}
    >
      {isAlone ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
    </Button>
  );
}

interface CanvasProps {
  readonly viewer: Viewer;
  readonly view: ViewName;
  readonly isSecond: boolean;
  readonly label: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A canvas of the viewer. Each viewer gets its own; there is a new viewer after a lost device. */
export function Canvas({ viewer, view, isSecond, label, onKeyDown }: CanvasProps) {
  const app = useApp();
  // With a measuring tool, a double click sets two points.
  const onDoubleClick = () => {
    if (view !== 'oblique' && app.store.getState().tool === 'pointer') app.view.toggleAlone(view === '3d' ? undefined : view);
  };
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const canvas = document.createElement('canvas');
    canvas.dataset.testid = `${isSecond ? 'second-' : ''}canvas-${view}`;
    place.current?.append(canvas);
    const detach = viewer.views.attach(view, canvas);
    return () => {
      detach();
      canvas.remove();
    };
  }, [viewer, view, isSecond]);
  return (
    <div
      ref={place}
      className={styles.canvas}
      role="application"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is interactive: its keys move the crosshair
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={onDoubleClick}
    />
  );
}
