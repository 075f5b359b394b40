import { ArrowDown, ArrowUp, Crosshair, Eye, EyeOff } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button as AriaButton, GridList, GridListItem, ListLayout, Virtualizer } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { volumeColumn } from '../../../core/volume/voxel-volume.ts';
import {
  type LabelOrder,
  type LabelRow,
  labelLookOf,
  labelledVolume,
  labelOrders,
  labelRows,
  labelTableOf,
} from '../../app/labels/label-tables.ts';
import type { LabelsState } from '../../app/state/label-state.ts';
import { layerVolume } from '../../app/state/layer-state.ts';
import { type AppState, openDocument } from '../../app/state/store.ts';
import { formatCount, formatVolume } from '../../app/words/units.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import { paletteColor } from '../../viewer/colors/label-texels.ts';
import { isLabelShown } from '../../viewer/model/label-look.ts';
import { baseId } from '../../viewer/model/layers.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NameInput } from '../controls/name-input.tsx';
import { Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './labels-panel.module.css';

const orderWords: Readonly<Record<LabelOrder, string>> = { number: 'Number', name: 'Name', voxels: 'Voxels' };
const rowHeight = 36;
const listHeight = 7 * rowHeight;

/** The label table of the chosen layer, or else of the open volume. Empty if there are no labels. */
export function LabelsPanel() {
  const id = useAppState(labelledVolume);
  return id === undefined ? null : <LabelList key={id} id={id} />;
}

function LabelList({ id }: { readonly id: string }) {
  const table = useAppState((state) => labelTableOf(state, id));
  const look = useAppState((state) => labelLookOf(state, id));
  const name = useAppState((state) => nameOf(state, id));
  const info = useAppState((state) => infoOf(state, id));
  const lengthUnits = useAppState(({ settings }) => settings.lengthUnits);
  const counted = useAppState(({ labels }) => (labels.counted?.id === id ? labels.counted : undefined));
  const chosen = useAppState(({ labels }) => (labels.chosen?.id === id ? labels.chosen.number : undefined));
  const fault = useAppState(({ labels }) => labels.fault);
  const [order, setOrder] = useState<LabelOrder>('number');
  const [isDescending, setDescending] = useState(false);
  const [search, setSearch] = useState('');
  const counts = counted?.kind === 'ready' ? counted.counts : undefined;
  const isKnown = counted !== undefined && counted.kind !== 'counting';
  const rows = useMemo(
    () => (isKnown ? labelRows(table, counts, { order, isDescending, search }) : []),
    [isKnown, table, counts, order, isDescending, search],
  );
  const items = useMemo(() => rows.map((item) => ({ ...item, id: item.number })), [rows]);
  const frame = useRef<HTMLDivElement>(null);
  const at = rows.findIndex(({ number }) => number === chosen);
  useEffect(() => {
    const list = frame.current?.querySelector('[role="grid"]');
    if (!list || at < 0) return;
    const top = at * rowHeight;
    if (top < list.scrollTop || top + rowHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - (list.clientHeight - rowHeight) / 2;
  }, [at]);
  const app = useApp();
  const row = rows[at];
  return (
    <section className={styles.labels} aria-label={`Labels of ${name}`} data-testid="labels">
      <div className={styles.head}>
        <h3 className={styles.title}>Labels</h3>
        <span className={styles.count} data-testid="labels-count">
          {isKnown ? formatCount(rows.length) : countingWords(counted)}
        </span>
        <input
          type="search"
          className={styles.search}
          aria-label="Search labels"
          placeholder="Number or name"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-testid="labels-search"
        />
      </div>
      {counted?.kind === 'failed' && <FaultNotice fault={counted.fault} />}
      {counted?.kind === 'partial' && (
        <div className={styles.partial} data-testid="labels-partial">
          <p>A lower resolution is loaded, so voxels are not counted yet.</p>
          <CommandButton id="labels-count" kind="quiet" testId="labels-count-all" />
        </div>
      )}
      {counted?.kind === 'counting' && counted.done !== undefined && (
        <div className={styles.actions}>
          <Button kind="quiet" onPress={() => app.labels.cancelCounting()} testId="labels-count-cancel">
            Cancel counting
          </Button>
        </div>
      )}
      <div className={styles.orders}>
        {labelOrders.map((key) => (
          <AriaButton
            key={key}
            className={classes(styles.order)}
            data-chosen={key === order || undefined}
            aria-label={`Sort by ${orderWords[key].toLowerCase()}${key === order ? (isDescending ? ', ascending' : ', descending') : ''}`}
            onPress={() => {
              // Numbers and names sort in ascending order first, voxel counts in descending order.
              setDescending(key === order ? !isDescending : key === 'voxels');
              setOrder(key);
            }}
            data-testid={`labels-by-${key}`}
          >
            {orderWords[key]}
            {key === order && (isDescending ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden />)}
          </AriaButton>
        ))}
      </div>
      <div ref={frame}>
        <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight }}>
          <GridList
            aria-label={`Labels of ${name}`}
            className={classes(styles.list)}
            style={{ height: Math.min(listHeight, Math.max(1, rows.length) * rowHeight) }}
            items={items}
            // React Aria reuses the rendered rows until one of these values changes.
            dependencies={[look, info, lengthUnits]}
            selectionMode="single"
            selectionBehavior="replace"
            selectedKeys={chosen === undefined ? [] : [chosen]}
            onSelectionChange={(keys) => {
              const [key] = keys === 'all' ? [] : [...keys];
              if (key !== undefined) void app.labels.goTo(id, Number(key));
            }}
            renderEmptyState={() => <p className={styles.empty}>{emptyWords(counted, search)}</p>}
          >
            {(item) => <Row volume={id} row={item} isShown={isLabelShown(look, item.number)} info={info} />}
          </GridList>
        </Virtualizer>
      </div>
      {row && <LabelEditor volume={id} row={row} />}
      <div className={styles.actions}>
        <CommandButton id="labels-show-all" kind="quiet" testId="labels-show-all" />
        <CommandButton id="labels-hide-all" kind="quiet" testId="labels-hide-all" />
        <CommandButton id="labels-load" kind="quiet" testId="labels-load" />
      </div>
      {fault && <FaultNotice fault={fault} />}
      <StatisticsChoice id={id} />
    </section>
  );
}

interface RowProps {
  /** `baseId`, or a layer's id. Not called `id`, because React Aria would take that for the row's own id. */
  readonly volume: string;
  readonly row: LabelRow;
  readonly isShown: boolean;
  readonly info: VolumeInfo | undefined;
}

function Row({ volume, row: { number, name, color, voxels }, isShown, info }: RowProps) {
  const app = useApp();
  const words = name === undefined ? `Label ${number}` : displayText(name);
  return (
    <GridListItem
      id={number}
      textValue={words}
      className={classes(styles.row)}
      data-hidden={!isShown || undefined}
      data-testid={`label-${number}`}
    >
      <IconButton
        label={`${isShown ? 'Hide' : 'Show'} ${words}`}
        icon={isShown ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
        onPress={() => app.labels.show(volume, number, !isShown)}
        testId={`label-eye-${number}`}
      />
      <span className={styles.swatch} style={{ background: color ?? paletteColor(number) }} />
      <span className={styles.words}>
        <span className={styles.name}>{words}</span>
        {name !== undefined && <span className={styles.small}>{number}</span>}
      </span>
      <span className={styles.values}>
        <span>{voxels === undefined ? '' : formatCount(voxels)}</span>
        <span className={styles.small}>{volumeWords(voxels, info)}</span>
      </span>
    </GridListItem>
  );
}

/** Name and colour of the marked label. */
function LabelEditor({ volume, row: { number, name, color } }: Pick<RowProps, 'volume' | 'row'>) {
  const app = useApp();
  const words = name ?? `Label ${number}`;
  return (
    <div className={styles.editor} data-testid="label-editor">
      <input
        type="color"
        className={styles.color}
        aria-label={`Color of ${words}`}
        value={color ?? paletteColor(number)}
        onChange={(event) => app.labels.recolor(volume, number, event.currentTarget.value)}
        data-testid="label-color"
      />
      <NameInput
        name={words}
        onRename={(next) => {
          if (next !== words) app.labels.rename(volume, number, next);
        }}
        className={styles.rename}
        testId="label-name"
      />
      <IconButton
        label={`Go to ${words}`}
        icon={<Crosshair size={16} aria-hidden />}
        onPress={() => void app.labels.goTo(volume, number)}
        testId="label-go"
      />
    </div>
  );
}

/** Saves statistics of an image inside the labels. */
function StatisticsChoice({ id }: { readonly id: string }) {
  const app = useApp();
  const base = useAppState((state) => (id === baseId ? undefined : openDocument(state)?.name));
  const layers = useAppState(({ layers: { stack } }) => stack.layers);
  const measuring = useAppState(({ labels }) => labels.measuring);
  const images = [
    ...(base === undefined ? [] : [{ key: baseId, label: base }]),
    ...layers
      .filter((look) => look.id !== id && !colormap(look.colormap).isCategorical)
      .map((look) => ({ key: look.id, label: look.name })),
  ];
  const [chosen, setChosen] = useState<string>();
  const image = images.find(({ key }) => key === chosen) ?? images[0];
  if (!image) return null;
  return (
    <div className={styles.statistics}>
      {images.length > 1 && (
        <Select label="Measure" options={images} value={image.key} onChange={setChosen} testId="labels-image" />
      )}
      <div className={styles.actions}>
        <Button
          kind="quiet"
          onPress={() => void app.exports.saveLabelStatistics(app.labels, image.key)}
          isDisabled={measuring !== undefined}
          testId="labels-statistics"
        >
          {measuring === undefined ? `Save statistics of ${image.label}…` : `Measuring… ${Math.round(100 * measuring)} %`}
        </Button>
        {measuring !== undefined && (
          <Button kind="quiet" onPress={() => app.labels.cancelStatistics()} testId="labels-statistics-cancel">
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}

function countingWords(counted: LabelsState['counted']): string {
  const done = counted?.kind === 'counting' ? counted.done : undefined;
  return done === undefined ? 'Counting…' : `Counting… ${Math.floor(100 * done)} %`;
}

function emptyWords(counted: LabelsState['counted'], search: string): string {
  if (!counted || counted.kind === 'counting') return countingWords(counted);
  if (counted.kind === 'partial' && search === '') return 'Labels are listed once they are counted.';
  return search === '' ? 'The volume has no labels.' : 'No label has this number or name.';
}

function volumeWords(voxels: number | undefined, info: VolumeInfo | undefined): string {
  const volumes = info && volumeColumn(info);
  return voxels === undefined || !volumes ? '' : formatVolume(volumes.of(voxels), info);
}

function nameOf(state: AppState, id: string): string {
  if (id === baseId) return openDocument(state)?.name ?? '';
  return state.layers.stack.layers.find((look) => look.id === id)?.name ?? '';
}

function infoOf(state: AppState, id: string): VolumeInfo | undefined {
  if (id === baseId) return openDocument(state)?.info;
  const volume = layerVolume(state.layers, id);
  return volume?.kind === 'ready' ? volume.info : undefined;
}
