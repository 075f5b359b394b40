import { useCallback } from 'react';
import type { Projection } from '../../../core/draw/ray-pass.ts';
import { inRealOrder } from '../../../core/shared/real-order.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { rampOf, withStart, withStrength } from '../../app/view/opacity-curve.ts';
import { toPhysical, toStored } from '../../app/view/window.ts';
import { formatWithin } from '../../app/words/value-words.ts';
import type { BoxKind, CameraKind, Quality } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Range } from '../controls/range.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useViewerPart } from '../hooks/use-app.ts';
import { ClipControls } from './clip-controls.tsx';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

export const projectionNames: Readonly<Record<Projection, string>> = {
  composite: 'Compositing',
  mip: 'Maximum',
  minip: 'Minimum',
  mean: 'Mean',
  isosurface: 'Isosurface',
  'attenuated-mip': 'Attenuated maximum',
};

const hints: Readonly<Record<Projection, string>> = {
  composite: 'Colour and opacity by value, front to back',
  mip: 'The highest value along each ray',
  minip: 'The lowest value along each ray',
  mean: 'The mean of the windowed values along each ray',
  isosurface: 'The surface where values reach a level',
  'attenuated-mip': 'The highest value, dimmed by what is in front',
};

const projectionOptions = (Object.keys(projectionNames) as Projection[]).map((key) => ({
  key,
  label: projectionNames[key],
  hint: hints[key],
}));

/** Controls of the 3D view. */
export function VolumeControls({ document, viewer }: Props) {
  const camera = useViewerPart(viewer, ({ state }) => state.camera);
  const box = useViewerPart(viewer, ({ state }) => state.box);
  const quality = useViewerPart(viewer, ({ state }) => state.quality);
  return (
    <>
      {!document.space && <ProjectionControls document={document} viewer={viewer} />}
      <Row label="Quality" title="Sampling of the 3D view while nothing moves">
        <Segmented<Quality>
          label="Quality"
          value={quality}
          onChange={(next) => viewer.set({ quality: next })}
          segments={[
            { key: 'draft', label: 'Draft', testId: 'quality-draft' },
            { key: 'normal', label: 'Normal', testId: 'quality-normal' },
            { key: 'fine', label: 'Fine', testId: 'quality-fine' },
          ]}
        />
      </Row>
      <Row label="Camera" title="Perspective: near things look larger. Orthographic: sizes are true at any depth">
        <Segmented<CameraKind>
          label="Camera"
          value={camera}
          onChange={(next) => viewer.set({ camera: next })}
          segments={[
            { key: 'perspective', label: 'Perspective', testId: 'camera-perspective' },
            { key: 'orthographic', label: 'Orthographic', testId: 'camera-orthographic' },
          ]}
        />
      </Row>
      <Row label="Box" title="The volume’s edges, with distances along them">
        <Segmented<BoxKind>
          label="Box"
          value={box}
          onChange={(next) => viewer.set({ box: next })}
          segments={[
            { key: 'off', label: 'Off', testId: 'box-off' },
            { key: 'box', label: 'Edges', testId: 'box-edges' },
            { key: 'ticks', label: 'Ticks', testId: 'box-ticks' },
          ]}
        />
      </Row>
      <ClipControls info={document.info} viewer={viewer} />
    </>
  );
}

/** How rays project the volume. */
function ProjectionControls({ document, viewer }: Props) {
  const projection = useViewerPart(viewer, ({ state }) => state.projection);
  return (
    <>
      <Select
        label="Projection"
        options={projectionOptions}
        value={projection}
        onChange={(next) => viewer.set({ projection: next })}
        testId="projection-select"
      />
      {projection === 'composite' && <CompositingControls viewer={viewer} />}
      {projection === 'isosurface' && <LevelSlider document={document} viewer={viewer} />}
      {projection === 'attenuated-mip' && <AttenuationSlider viewer={viewer} />}
    </>
  );
}

function CompositingControls({ viewer }: { readonly viewer: Viewer }) {
  const lighting = useViewerPart(viewer, ({ state }) => state.lighting);
  const readStrength = useCallback(() => rampOf(viewer.snapshot().state.opacity).strength * 100, [viewer]);
  const readStart = useCallback(() => rampOf(viewer.snapshot().state.opacity).start * 100, [viewer]);
  const common = { minimum: 0, maximum: 100, step: 1, subscribe: viewer.subscribe, words: percent };
  const opacity = () => viewer.snapshot().state.opacity;
  return (
    <>
      <Row label="Opacity" title="How much each voxel hides what is behind it">
        <Range
          {...common}
          label="Opacity"
          read={readStrength}
          onInput={(value) => viewer.set({ opacity: withStrength(opacity(), value / 100) })}
        />
      </Row>
      <Row label="Hidden below" title="Values below this part of the window are transparent">
        <Range
          {...common}
          label="Hidden below"
          read={readStart}
          onInput={(value) => viewer.set({ opacity: withStart(opacity(), value / 100) })}
        />
      </Row>
      <Toggle label="Lighting" isOn={lighting} onChange={(isOn) => viewer.set({ lighting: isOn })} testId="lighting" />
    </>
  );
}

/** The isosurface level, which is also a line in the histogram. */
function LevelSlider({ document: { info, statistics }, viewer }: Props) {
  const [min, max] = inRealOrder(statistics.numbers, info).map((stored) => toPhysical(stored, info)) as [number, number];
  const isInteger = info.type !== 'f32' && info.type !== 'f64';
  const size = Math.abs(info.slope || 1);
  const read = useCallback(() => toPhysical(viewer.snapshot().state.level, info), [viewer, info]);
  const words = useCallback((value: number) => formatWithin(value, [min, max]), [min, max]);
  return (
    <Row label="Level" title="The value at which the surface is drawn">
      <Range
        label="Isosurface level"
        minimum={min}
        maximum={max}
        step={isInteger && max - min > 100 * size ? size : (max - min) / 1000 || 1}
        read={read}
        subscribe={viewer.subscribe}
        words={words}
        onInput={(value) => viewer.set({ level: toStored(value, info) })}
        testId="level-slider"
      />
    </Row>
  );
}

/** The slider's maximum for `RayLook.attenuation`. */
const strongestAttenuation = 40;

function AttenuationSlider({ viewer }: { readonly viewer: Viewer }) {
  const read = useCallback(() => (100 * viewer.snapshot().state.attenuation) / strongestAttenuation, [viewer]);
  return (
    <Row label="Attenuation" title="How much voxels dim what is behind them">
      <Range
        label="Attenuation"
        minimum={0}
        maximum={100}
        step={1}
        read={read}
        subscribe={viewer.subscribe}
        words={percent}
        onInput={(value) => viewer.set({ attenuation: (strongestAttenuation * value) / 100 })}
        testId="attenuation-slider"
      />
    </Row>
  );
}

function percent(value: number): string {
  return `${Math.round(value)} percent`;
}
