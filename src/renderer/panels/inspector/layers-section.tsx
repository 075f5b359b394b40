import { ArrowDown, ArrowUp, CircleDot, Eye, EyeOff, GripVertical, Plus, Spline, Trash2, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { channelName } from '../../../core/shared/channel-name.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { colormapGradient } from '../../viewer/colors/colormaps.ts';
import { hasChannels } from '../../viewer/model/channel-group.ts';
import {
  baseId,
  hasChannelGroup,
  isLayerShown,
  type LayerLook,
  type LayerStack,
  layersIn3d,
  type MeshLook,
  mostVolumesIn3d,
  volumeIdOf,
} from '../../viewer/model/layers.ts';
import { shows3d } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { IconButton } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { CommandButton, CommandIconButton } from '../controls/command-button.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import { AddingFiles } from './adding-files.tsx';
import { LabelsPanel } from './labels-panel.tsx';
import { BaseChannelSettings, LayerSettings } from './layer-settings.tsx';
import styles from './layers-section.module.css';
import { MeshSettings } from './mesh-settings.tsx';
import { baseOpacity, OpacityRange, percent } from './opacity-range.tsx';

/** The layers over the open volume, the top one first, and the settings of the chosen one. */
export function LayersSection({ document, viewer }: { readonly document: OpenDocument; readonly viewer: Viewer }) {
  const stack = useAppState((state) => state.layers.stack);
  const chosen = useAppState((state) => state.layers.chosen);
  const is3dShown = useAppState((state) => shows3d(state.settings.layout));
  const look = stack.layers.find(({ id }) => id === chosen);
  const hasGroup = hasChannelGroup(stack);
  const [first] = document.info.channels ?? [];
  const baseName = first ? channelName(first, 0) : document.name;
  const mesh = stack.meshes.find(({ id }) => id === chosen);
  return (
    <>
      <div className={styles.list}>
        {stack.meshes.length > 0 && <LayerList label="Surfaces" layers={stack.meshes} testId="meshes" />}
        {stack.layers.length > 0 && <LayerList label="Layers, the top one first" layers={stack.layers} testId="layers" />}
        {!document.space && <BaseRow name={hasGroup ? baseName : document.name} viewer={viewer} isChannel={hasGroup} />}
      </div>
      <ChannelTools document={document} />
      <AddingFiles />
      <div className={styles.actions}>
        <span className={styles.tools}>
          <CommandButton id="add-layer" testId="add-layer" icon={<Plus size={14} aria-hidden />} />
          <CommandButton id="surface-show" testId="show-surface" icon={<Spline size={14} aria-hidden />} />
        </span>
        <span className={styles.tools}>
          <CommandIconButton id="layer-solo" testId="layer-solo" icon={<CircleDot size={16} aria-hidden />} />
          <CommandIconButton id="layer-up" testId="layer-up" icon={<ArrowUp size={16} aria-hidden />} />
          <CommandIconButton id="layer-down" testId="layer-down" icon={<ArrowDown size={16} aria-hidden />} />
          <CommandIconButton id="layer-remove" testId="layer-remove" icon={<Trash2 size={16} aria-hidden />} />
        </span>
      </div>
      {look && <LayerSettings key={look.id} look={look} />}
      {hasGroup && chosen === baseId && <BaseChannelSettings name={baseName} info={document.info} viewer={viewer} />}
      {mesh && <MeshSettings key={mesh.id} look={mesh} />}
      <LabelsPanel />
      {stack.layers.length === 0 && (
        <p className={styles.hint}>
          {document.space
            ? 'Open a volume to see these surfaces over it. Both lie where their files place them.'
            : 'Add another volume, such as a segmentation or a second scan, to see it over this one.'}
        </p>
      )}
      {is3dShown && <MissingIn3d stack={stack} />}
    </>
  );
}

/** The layers that slices show but the 3D view does not, and why. */
function MissingIn3d({ stack }: { readonly stack: LayerStack }) {
  const gpu = useAppState((state) => state.gpu);
  const second = useAppState(({ comparison }) => (comparison.kind === 'ready' ? comparison.viewer : undefined));
  if (gpu.kind !== 'ready') return null;
  return (
    <>
      <MissingLayers stack={stack} viewer={gpu.viewer} />
      {second && <WithoutMemory viewer={second} place="in the second 3D view" testId="second-layers-without-memory" />}
    </>
  );
}

function MissingLayers({ stack, viewer }: { readonly stack: LayerStack; readonly viewer: Viewer }) {
  const shown = stack.layers.filter((look) => isLayerShown(stack, look));
  const drawn = layersIn3d(stack, shown);
  const left = shown.filter((look) => !drawn.includes(look));
  return (
    <>
      {left.length > 0 && (
        <p className={styles.hint} data-testid="layers-not-in-3d">
          The 3D view draws {mostVolumesIn3d(stack)} volumes at once, the open one and the top layers. Without: {namesOf(left)}.
        </p>
      )}
      <WithoutMemory viewer={viewer} place="in 3D" testId="layers-without-memory" />
    </>
  );
}

interface WithoutMemoryProps {
  readonly viewer: Viewer;
  /** `in 3D` */
  readonly place: string;
  readonly testId: string;
}

/** The layers for which a viewer found no GPU memory. */
function WithoutMemory({ viewer, place, testId }: WithoutMemoryProps) {
  const missing = useViewerPart(viewer, ({ missingIn3d }) => missingIn3d);
  const stack = useViewerPart(viewer, ({ state }) => state.layers);
  const looks = layersIn3d(
    stack,
    stack.layers.filter((look) => isLayerShown(stack, look)),
  ).filter(({ id }) => missing.includes(id));
  if (looks.length === 0) return null;
  return (
    <p className={styles.hint} data-testid={testId}>
      The GPU does not have enough memory to draw {place}: {namesOf(looks)}.
    </p>
  );
}

function namesOf(looks: readonly LayerLook[]): string {
  return looks.map(({ name }) => name).join(', ');
}

interface ListProps {
  readonly label: string;
  readonly layers: readonly (LayerLook | MeshLook)[];
  readonly testId: string;
}

function LayerList({ label, layers, testId }: ListProps) {
  const app = useApp();
  const chosen = useAppState((state) => state.layers.chosen);
  const shown = useMemo(() => layers.toReversed(), [layers]);
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      const [moved] = [...keys].map(String);
      if (moved === undefined) return;
      const others = layers.filter(({ id }) => id !== moved);
      const at = others.findIndex(({ id }) => id === target.key);
      // The list begins with the top layer.
      if (at >= 0) app.layers.moveTo(moved, target.dropPosition === 'before' ? at + 1 : at);
    },
  });
  return (
    <GridList
      aria-label={label}
      className={classes(styles.grid)}
      items={shown}
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      selectedKeys={layers.some(({ id }) => id === chosen) ? [chosen as string] : []}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys];
        app.layers.choose(key === undefined ? undefined : String(key));
      }}
      dragAndDropHooks={dragAndDropHooks}
      data-testid={testId}
    >
      {(look) => <LayerRow look={look} />}
    </GridList>
  );
}

const notReadyWords = { loading: 'Loading…', failed: 'Not loaded', lost: 'Not found' } as const;

function LayerRow({ look }: { readonly look: LayerLook | MeshLook }) {
  const isShown = useAppState(({ layers }) => isLayerShown(layers.stack, look));
  const kind = useAppState(
    ({ layers }) => ('colormap' in look ? layers.volumes[volumeIdOf(look)] : layers.surfaces[look.id])?.kind,
  );
  const words = kind && kind !== 'ready' ? notReadyWords[kind] : percent(look.opacity);
  return (
    <GridListItem id={look.id} textValue={look.name} className={classes(styles.row)} data-testid={`layer-${look.name}`}>
      <AriaButton slot="drag" className={classes(styles.drag)} aria-label={`Move ${look.name}`}>
        <GripVertical size={14} aria-hidden />
      </AriaButton>
      <EyeButton id={look.id} name={look.name} isShown={isShown} />
      <span className={styles.swatch} style={{ background: 'colormap' in look ? colormapGradient(look) : look.color }} />
      <span className={styles.name}>{look.name}</span>
      <span className={styles.value} data-warning={kind === 'lost' || kind === 'failed' || undefined}>
        {(kind === 'lost' || kind === 'failed') && <TriangleAlert size={12} aria-hidden />}
        {words}
      </span>
    </GridListItem>
  );
}

interface BaseRowProps {
  readonly name: string;
  readonly viewer: Viewer;
  /** Whether the open volume shows one of several channels, and has settings like the other channels. */
  readonly isChannel: boolean;
}

function BaseRow({ name, viewer, isChannel }: BaseRowProps) {
  const app = useApp();
  const { isVisible, opacity } = useAppState(({ layers }) => layers.stack.base);
  const solo = useAppState(({ layers }) => layers.stack.solo);
  const isChosen = useAppState(({ layers }) => layers.chosen === baseId);
  return (
    <div className={styles.base} data-selected={(isChannel && isChosen) || undefined} data-testid="layer-base">
      <EyeButton id={baseId} name={name} isShown={solo === undefined ? isVisible : solo === baseId} />
      {isChannel && <BaseSwatch viewer={viewer} />}
      {isChannel ? (
        <AriaButton
          className={classes(styles.choose)}
          aria-pressed={isChosen}
          onPress={() => app.layers.choose(baseId)}
          data-testid="choose-base"
        >
          {name}
        </AriaButton>
      ) : (
        <span className={styles.name}>{name}</span>
      )}
      {!isChannel && (
        <OpacityRange
          name={name}
          read={baseOpacity}
          onInput={(next) => app.layers.changeBase({ opacity: next })}
          className={styles.opacity}
        />
      )}
      <span className={styles.value}>{percent(opacity)}</span>
    </div>
  );
}

function BaseSwatch({ viewer }: { readonly viewer: Viewer }) {
  const colors = useViewerPart(viewer, ({ state }) => state.colormap);
  const inverted = useViewerPart(viewer, ({ state }) => state.inverted);
  return <span className={styles.swatch} style={{ background: colormapGradient({ colormap: colors, inverted }) }} />;
}

/** Actions on the channels of the open volume. */
function ChannelTools({ document }: { readonly document: OpenDocument }) {
  const hasGroup = useAppState(({ layers }) => hasChannelGroup(layers.stack));
  if (!hasChannels(document.info)) return null;
  return (
    <div className={classes(styles.actions, styles.quiet)}>
      {hasGroup ? (
        <CommandButton id="channels-contrast" kind="quiet" testId="channels-contrast" />
      ) : (
        <CommandButton id="channels-together" kind="quiet" testId="channels-together" />
      )}
    </div>
  );
}

function EyeButton({ id, name, isShown }: { readonly id: string; readonly name: string; readonly isShown: boolean }) {
  const app = useApp();
  return (
    <IconButton
      label={`${isShown ? 'Hide' : 'Show'} ${name}`}
      icon={isShown ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
      onPress={() => app.layers.toggle(id)}
      testId={`eye-${id}`}
    />
  );
}
