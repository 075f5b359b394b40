import { useCallback } from 'react';
import { type Blending, blendings } from '../../../core/draw/slice-pass.ts';
import { channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { LayerVolume } from '../../app/state/layer-state.ts';
import { type AppState, openDocument } from '../../app/state/store.ts';
import { levelOf, type Window } from '../../app/view/window.ts';
import { typedWindow, windowSteps } from '../../app/words/typed-window.ts';
import { colormap, colormapGradient, colormapNames, colorRampNames, isColorRamp } from '../../viewer/colors/colormaps.ts';
import type { PlacedBy } from '../../viewer/model/layer-place.ts';
import { baseId, type LayerLook, volumeIdOf } from '../../viewer/model/layers.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NameInput } from '../controls/name-input.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Progress } from '../controls/progress.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import { channelOptions } from './channel-select.tsx';
import { LayerAlignment } from './layer-alignment.tsx';
import styles from './layers-section.module.css';
import { LostFiles } from './lost-files.tsx';
import { baseOpacity, OpacityRange } from './opacity-range.tsx';

const blendingWords: Readonly<Record<Blending, { readonly label: string; readonly hint: string }>> = {
  over: { label: 'Over', hint: 'Covers what lies below, according to its opacity' },
  add: { label: 'Add', hint: 'Adds its light to what lies below' },
  maximum: { label: 'Maximum', hint: 'The brighter of the two' },
};

const placeWords: Readonly<Record<PlacedBy, string>> = {
  world: 'Placed by world coordinates',
  voxels: 'Placed voxel by voxel, because not both files give a position',
  center: 'Placed centre on centre, because only one file gives a position',
};

/** The settings of the chosen layer. */
export function LayerSettings({ look }: { readonly look: LayerLook }) {
  const app = useApp();
  const volume = useAppState(({ layers }) => layers.volumes[volumeIdOf(look)]);
  const base = useAppState((state) => openDocument(state)?.info);
  const { id } = look;
  const readOpacity = useCallback(
    ({ layers }: AppState) => layers.stack.layers.find((layer) => layer.id === id)?.opacity ?? 0,
    [id],
  );
  const { isCategorical } = colormap(look.colormap);
  return (
    <section className={styles.settings} aria-label={`Settings of ${look.name}`} data-testid="layer-settings">
      <NameInput
        name={look.name}
        onRename={(name) => app.layers.rename(id, name)}
        className={styles.rename}
        testId="layer-name"
      />
      {look.of === baseId ? (
        <p className={styles.facts}>A channel of the open volume</p>
      ) : (
        <VolumeFacts volume={volume} isMoved={look.motion !== undefined} />
      )}
      <Row label="Opacity">
        <OpacityRange
          name={look.name}
          read={readOpacity}
          onInput={(opacity) => app.layers.change(id, { opacity })}
          testId="layer-opacity"
        />
      </Row>
      <ColorChoice look={look} onChange={(name) => app.layers.change(id, { colormap: name })} />
      {isCategorical ? (
        <Row label="Labels as">
          <Segmented
            label="Labels as"
            value={look.outline ? 'outline' : 'fill'}
            onChange={(key) => app.layers.change(id, { outline: key === 'outline' })}
            segments={[
              { key: 'fill', label: 'Fill', testId: 'layer-fill' },
              { key: 'outline', label: 'Outline', testId: 'layer-outline' },
            ]}
          />
        </Row>
      ) : (
        <>
          {volume?.kind === 'ready' && (
            <WindowFields window={look.window} info={volume.info} onChange={(window) => app.layers.change(id, { window })} />
          )}
          <div className={styles.quiet}>
            <CommandButton id="layer-contrast" kind="quiet" testId="layer-contrast" />
          </div>
          <Toggle label="Invert colormap" isOn={look.inverted} onChange={(inverted) => app.layers.change(id, { inverted })} />
          <Toggle
            label="Hide below window"
            isOn={look.hidesBelow}
            onChange={(hidesBelow) => app.layers.change(id, { hidesBelow })}
            testId="layer-hides-below"
          />
          {look.of !== baseId && (
            <Toggle
              label="Interpolate"
              isOn={look.smooth}
              onChange={(smooth) => app.layers.change(id, { smooth })}
              testId="layer-smooth"
            />
          )}
        </>
      )}
      <Select<Blending>
        label="Blending"
        options={blendings.map((key) => ({ key, ...blendingWords[key] }))}
        value={look.blending}
        onChange={(blending) => app.layers.change(id, { blending })}
        testId="layer-blending"
      />
      {volume?.kind === 'ready' && look.of !== baseId && <ChannelChoice look={look} info={volume.info} />}
      {volume?.kind === 'ready' && base && look.of !== baseId && <LayerAlignment look={look} base={base} layer={volume.info} />}
    </section>
  );
}

function VolumeFacts({ volume, isMoved }: { readonly volume: LayerVolume | undefined; readonly isMoved: boolean }) {
  if (volume?.kind === 'loading') return <Progress progress={volume.progress} />;
  if (volume?.kind === 'failed') return <FaultNotice fault={volume.fault} />;
  if (volume?.kind === 'lost' && volume.files.length > 0) return <LostFiles files={volume.files} />;
  if (volume === undefined || volume.kind === 'lost')
    return <p className={styles.facts}>Its file was not found. Add it again.</p>;
  const { dims, type } = volume.info;
  const size = dims.slice(0, dims[3] > 1 ? 4 : 3).join('×');
  return (
    <p className={styles.facts} data-testid="layer-facts">
      {size} {type} · {volume.format}
      <br />
      {placeWords[volume.placedBy]}
      {isMoved && ', then moved'}
      {volume.decimation > 1 && (
        <>
          <br />
          Too large for GPU memory, which holds 1/{volume.decimation} resolution: the rest is read from the file
        </>
      )}
    </p>
  );
}

interface WindowProps {
  readonly window: LayerLook['window'];
  readonly info: VolumeInfo;
  readonly onChange: (window: LayerLook['window']) => void;
}

function WindowFields({ window, info, onChange }: WindowProps) {
  const { width, level } = levelOf(window, info);
  const problemOf = (typed: Window | string) => (typeof typed === 'string' ? typed : undefined);
  const show = (typed: Window | string) => {
    if (typeof typed !== 'string') onChange(typed);
  };
  const [low, high] = [level - width / 2, level + width / 2];
  const spanning = (from: number, to: number) => typedWindow(to - from, (from + to) / 2, info);
  return (
    <div className={styles.fields}>
      <NumberInput
        label="From"
        value={low}
        digits={6}
        step={windowSteps(width)}
        problemOf={(next) => problemOf(spanning(next, high))}
        onChange={(next) => show(spanning(next, high))}
      />
      <NumberInput
        label="To"
        value={high}
        digits={6}
        step={windowSteps(width)}
        problemOf={(next) => problemOf(spanning(low, next))}
        onChange={(next) => show(spanning(low, next))}
      />
    </div>
  );
}

/** The colormap, with a colour field if it goes from black to a single colour. */
function ColorChoice({ look, onChange }: { readonly look: Colored; readonly onChange: (colormap: string) => void }) {
  const names = [...new Set<string>([...colormapNames, ...colorRampNames, look.colormap])];
  const colormaps = names.map((name) => ({
    key: name,
    label: colormap(name).title,
    swatch: colormapGradient({ colormap: name, inverted: look.inverted }),
  }));
  return (
    <>
      <Select label="Colormap" options={colormaps} value={look.colormap} onChange={onChange} testId="layer-colormap" />
      {isColorRamp(look.colormap) && (
        <Row label="Colour">
          <input
            type="color"
            className={styles.color}
            aria-label={`Color of ${look.name}`}
            value={look.colormap}
            onChange={(event) => onChange(event.currentTarget.value)}
            data-testid="layer-color"
          />
        </Row>
      )}
    </>
  );
}

type Colored = Pick<LayerLook, 'name' | 'colormap' | 'inverted'>;

/** The settings of the channel that the open volume itself shows. */
export function BaseChannelSettings({ name, info, viewer }: BaseChannelProps) {
  const app = useApp();
  const window = useViewerPart(viewer, ({ state }) => state.window);
  const colors = useViewerPart(viewer, ({ state }) => state.colormap);
  const inverted = useViewerPart(viewer, ({ state }) => state.inverted);
  return (
    <section className={styles.settings} aria-label={`Settings of ${name}`} data-testid="base-channel-settings">
      <h3 className={styles.rename}>{name}</h3>
      <p className={styles.facts}>A channel of the open volume. The Display tab also has its settings.</p>
      <Row label="Opacity">
        <OpacityRange name={name} read={baseOpacity} onInput={(opacity) => app.layers.changeBase({ opacity })} />
      </Row>
      <ColorChoice look={{ name, colormap: colors, inverted }} onChange={(next) => viewer.set({ colormap: next })} />
      <WindowFields window={window} info={info} onChange={(next) => viewer.set({ window: next })} />
      <div className={styles.quiet}>
        <CommandButton id="layer-contrast" kind="quiet" testId="layer-contrast" />
      </div>
      <Toggle label="Invert colormap" isOn={inverted} onChange={(isOn) => viewer.set({ inverted: isOn })} />
    </section>
  );
}

interface BaseChannelProps {
  readonly name: string;
  readonly info: VolumeInfo;
  readonly viewer: Viewer;
}

function ChannelChoice({ look, info }: { readonly look: LayerLook; readonly info: VolumeInfo }) {
  const app = useApp();
  const { channels } = info;
  if (!channels || channelLayout(info).channelCount < 2) return null;
  return (
    <Select
      label="Channel"
      options={channelOptions(channels)}
      value={String(look.channel)}
      onChange={(key) => app.layers.change(look.id, { channel: Number(key) })}
      testId="layer-channel"
    />
  );
}
