import { useCallback } from 'react';
import { type Blending, blendings } from '../../../core/draw/slice-pass.ts';
import { channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { LayerVolume } from '../../app/state/layer-state.ts';
import { type AppState, openDocument } from '../../app/state/store.ts';
import { levelOf, type Window } from '../../app/view/window.ts';
import { typedWindow, windowSteps } from '../../app/words/typed-window.ts';
import { colormap, colormapGradient, colormapNames } from '../../viewer/colors/colormaps.ts';
import type { PlacedBy } from '../../viewer/model/layer-place.ts';
import type { LayerLook } from '../../viewer/model/layers.ts';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NameInput } from '../controls/name-input.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Progress } from '../controls/progress.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { channelOptions } from './channel-select.tsx';
import { LayerAlignment } from './layer-alignment.tsx';
import styles from './layers-section.module.css';
import { OpacityRange } from './opacity-range.tsx';

const blendingWords: Readonly<Record<Blending, { readonly label: string; readonly hint: string }>> = {
  over: { label: 'Over', hint: 'Covers what lies below, by its opacity' },
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
  const volume = useAppState(({ layers }) => layers.volumes[look.id]);
  const base = useAppState((state) => openDocument(state)?.info);
  const { id } = look;
  const readOpacity = useCallback(
    ({ layers }: AppState) => layers.stack.layers.find((layer) => layer.id === id)?.opacity ?? 0,
    [id],
  );
  const { isCategorical } = colormap(look.colormap);
  const colormaps = colormapNames.map((name) => ({
    key: name as string,
    label: colormap(name).title,
    swatch: colormapGradient({ colormap: name, inverted: look.inverted }),
  }));
  return (
    <section className={styles.settings} aria-label={`Settings of ${look.name}`} data-testid="layer-settings">
      <NameInput
        name={look.name}
        onRename={(name) => app.layers.rename(id, name)}
        className={styles.rename}
        testId="layer-name"
      />
      <VolumeFacts volume={volume} isMoved={look.motion !== undefined} />
      <Row label="Opacity">
        <OpacityRange
          name={look.name}
          read={readOpacity}
          onInput={(opacity) => app.layers.change(id, { opacity })}
          testId="layer-opacity"
        />
      </Row>
      <Select
        label="Colormap"
        options={colormaps}
        value={look.colormap}
        onChange={(name) => app.layers.change(id, { colormap: name })}
        testId="layer-colormap"
      />
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
          {volume?.kind === 'ready' && <WindowFields look={look} info={volume.info} />}
          <Toggle label="Invert colormap" isOn={look.inverted} onChange={(inverted) => app.layers.change(id, { inverted })} />
          <Toggle
            label="Hide below window"
            isOn={look.hidesBelow}
            onChange={(hidesBelow) => app.layers.change(id, { hidesBelow })}
            testId="layer-hides-below"
          />
          <Toggle
            label="Interpolate"
            isOn={look.smooth}
            onChange={(smooth) => app.layers.change(id, { smooth })}
            testId="layer-smooth"
          />
        </>
      )}
      <Select<Blending>
        label="Blending"
        options={blendings.map((key) => ({ key, ...blendingWords[key] }))}
        value={look.blending}
        onChange={(blending) => app.layers.change(id, { blending })}
        testId="layer-blending"
      />
      {volume?.kind === 'ready' && <ChannelChoice look={look} info={volume.info} />}
      {volume?.kind === 'ready' && base && <LayerAlignment look={look} base={base} layer={volume.info} />}
    </section>
  );
}

function VolumeFacts({ volume, isMoved }: { readonly volume: LayerVolume | undefined; readonly isMoved: boolean }) {
  if (volume?.kind === 'loading') return <Progress progress={volume.progress} />;
  if (volume?.kind === 'failed') return <FaultNotice fault={volume.fault} />;
  if (volume === undefined) return <p className={styles.facts}>Its file was not found. Add it again.</p>;
  const { dims, type } = volume.info;
  const size = dims.slice(0, dims[3] > 1 ? 4 : 3).join('×');
  return (
    <p className={styles.facts} data-testid="layer-facts">
      {size} {type} · {volume.format}
      <br />
      {placeWords[volume.placedBy]}
      {isMoved && ', then moved'}
    </p>
  );
}

function WindowFields({ look: { id, window }, info }: { readonly look: LayerLook; readonly info: VolumeInfo }) {
  const app = useApp();
  const { width, level } = levelOf(window, info);
  const problemOf = (typed: Window | string) => (typeof typed === 'string' ? typed : undefined);
  const show = (typed: Window | string) => {
    if (typeof typed !== 'string') app.layers.change(id, { window: typed });
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
