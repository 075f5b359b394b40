import { useEffect, useRef } from 'react';
import { channelName } from '../../../core/shared/channel-name.ts';
import { displayText } from '../../../core/shared/display-text.ts';
import type { LabelTable } from '../../../core/shared/label-table.ts';
import { channelAt, type VolumeInfo } from '../../../core/shared/volume.ts';
import { labelNumbers } from '../../../core/volume/label-number.ts';
import { labelName, labelTableOf } from '../../app/labels/label-tables.ts';
import { layerVolume } from '../../app/state/layer-state.ts';
import { type AppState, openDocument } from '../../app/state/store.ts';
import { placeWords } from '../../app/words/counting.ts';
import { formatExact, formatValue } from '../../app/words/value-words.ts';
import { describeChunkAt } from '../../app/words/ways.ts';
import { worldWords } from '../../app/words/world-words.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import { baseId, type LayerLook } from '../../viewer/model/layers.ts';
import type { Probe } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useApp } from '../hooks/use-app.ts';
import styles from './readout.module.css';

/**
 * The voxel under the pointer, or at the crosshair while keys move it: its exact value, the layers' values there, its world
 * position and, while chunks are shown, its chunk. Written straight to the DOM, since it changes at pointer rate.
 */
export function Readout({ viewer, isSecond = false }: { readonly viewer: Viewer; readonly isSecond?: boolean }) {
  const { store } = useApp();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = () => {
      if (!place.current) return;
      const { probe, beyond, info, state } = viewer.snapshot();
      place.current.hidden = !(probe ?? beyond) || !info;
      const all = store.getState();
      if (beyond && info) {
        const document = openDocument(all);
        const lines = [document?.space ? undefined : `Outside ${document?.name ?? 'the volume'}`, worldWords(info, beyond.voxel)];
        const words = lines.filter((line) => line !== undefined).join('\n');
        place.current.textContent = `${words}${layerLines(beyond, state.layers.layers, all)}`;
      }
      if (!probe || !info) return;
      if (openDocument(all)?.space) {
        place.current.textContent = worldWords(info, probe.voxel) ?? '';
        return;
      }
      const value = valueWords(probe.stored, info, state.colormap, isSecond ? [] : labelTableOf(all, baseId));
      const stored = Object.is(probe.stored, probe.value) ? '' : ` (stored ${formatExact(probe.stored, info.type)})`;
      const nearest = probe.isNearest ? ' (nearest loaded voxel)' : '';
      const { chunks, showChunks } = all;
      const chunk = showChunks && chunks && !isSecond ? `\n${describeChunkAt(chunks, probe.voxel, state.timePoint)}` : '';
      const named = info.channels?.[channelAt(info, state.timePoint).channel];
      const channel = named ? `  ·  ${channelName(named, channelAt(info, state.timePoint).channel)}` : '';
      const world = worldWords(info, probe.voxel);
      place.current.textContent = `${placeWords(probe.voxel)}  ·  ${value}${stored}${nearest}${channel}${world ? `\n${world}` : ''}${layerLines(probe, state.layers.layers, all)}${chunk}`;
    };
    show();
    const ends = [viewer.subscribe(show), store.subscribe(show)];
    return () => {
      for (const end of ends) end();
    };
  }, [viewer, store, isSecond]);
  return <div ref={place} className={styles.readout} data-testid={isSecond ? 'second-probe' : 'probe'} hidden />;
}

function valueWords(stored: number, info: VolumeInfo, colors: string, table: LabelTable): string {
  const { isCategorical } = colormap(colors);
  const name = isCategorical ? labelName(table, labelNumbers(info.type)(stored)) : undefined;
  const label = isCategorical ? 'label ' : '';
  const unit = info.valueUnit ? ` ${displayText(info.valueUnit)}` : '';
  return `${label}${formatValue(stored, info)}${unit}${name === undefined ? '' : ` ${displayText(name)}`}`;
}

/** A line for each layer at this position, the top one first. */
function layerLines(probe: Pick<Probe, 'layers'>, looks: readonly LayerLook[], state: AppState): string {
  return probe.layers
    .toReversed()
    .map(({ id, stored }) => {
      const look = looks.find((layer) => layer.id === id);
      const volume = layerVolume(state.layers, id);
      return look && volume?.kind === 'ready'
        ? `\n${look.name}  ·  ${valueWords(stored, volume.info, look.colormap, labelTableOf(state, id))}`
        : '';
    })
    .join('');
}
