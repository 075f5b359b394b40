import { Ban, Boxes, Check } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Collection, Header, Input, ListBox, ListBoxItem, ListBoxSection, SearchField, Text } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import { type FaultData, faultToData } from '../../../core/shared/errors.ts';
import type { VolumeChoice } from '../../../core/shared/volume-choice.ts';
import type { App } from '../../app/app.ts';
import { faultDetails } from '../../app/words/messages.ts';
import { formatCount } from '../../app/words/units.ts';
import type { HostFile } from '../../host/host.ts';
import { classes } from '../controls/classes.ts';
import { useApp } from '../hooks/use-app.ts';
import styles from './volume-chooser.module.css';

type VolumeList = ReturnType<App['opener']['listVolumes']>;

/** A longer list has a search field. */
const searchedFrom = 8;

interface ChooserProps {
  readonly file: HostFile;
  /** The id of the open volume. */
  readonly current?: string | undefined;
  /** Called when a volume is chosen. */
  readonly onChoose?: (id: string, label: string) => void;
  /** If set, several volumes may be picked. Called with all of them whenever the selection changes. */
  readonly onPick?: (choices: readonly VolumeChoice[]) => void;
}

/** A list of the volumes of a file or folder to choose from, in groups, each with a small picture. A volume that cannot be opened shows why. */
export function VolumeChooser({ file, current, onChoose, onPick }: ChooserProps) {
  const app = useApp();
  const [list, setList] = useState<VolumeList>();
  const [choices, setChoices] = useState<readonly VolumeChoice[]>();
  const [fault, setFault] = useState<FaultData>();
  const [search, setSearch] = useState('');
  useEffect(() => {
    const opened = app.opener.listVolumes(file);
    let isWanted = true;
    setList(opened);
    opened.choices.then(
      (found) => isWanted && setChoices(found),
      (error: unknown) => isWanted && setFault(faultToData(error)),
    );
    return () => {
      isWanted = false;
      opened.end();
    };
  }, [app, file]);
  if (fault) {
    return (
      <p className={styles.fault} role="alert">
        {faultDetails(fault)}
      </p>
    );
  }
  if (!choices || !list) {
    return (
      <p className={styles.wait} role="status">
        Looking through {displayText(file.name)} …
      </p>
    );
  }
  const groups = groupsOf(
    choices.filter((choice) => isFound(choice, search)),
    file.name,
  );
  return (
    <div className={styles.chooser}>
      {choices.length > searchedFrom && (
        <SearchField className={classes(styles.search)} aria-label="Find a volume" value={search} onChange={setSearch}>
          <Input className={classes(styles.searchInput)} placeholder={`Search ${formatCount(choices.length)} volumes`} />
        </SearchField>
      )}
      <ListBox
        className={classes(styles.list)}
        aria-label="Volumes"
        data-testid="volume-choices"
        disabledKeys={choices.filter(({ problem }) => problem !== undefined).map(({ id }) => id)}
        {...(onChoose && {
          onAction: (key) => {
            const chosen = choices.find(({ id }) => id === key);
            if (chosen) onChoose(chosen.id, chosen.label);
          },
        })}
        {...(onPick && {
          selectionMode: 'multiple',
          onSelectionChange: (keys) =>
            onPick(choices.filter(({ id, problem }) => (keys === 'all' ? problem === undefined : keys.has(id)))),
        })}
        items={groups}
        renderEmptyState={() => <p className={styles.wait}>No matching volume.</p>}
        autoFocus="first"
      >
        {(group) => (
          <ListBoxSection id={`group ${group.id}`} className={classes(styles.section)}>
            {group.title !== '' && <Header className={classes(styles.group)}>{group.title}</Header>}
            <Collection items={group.choices}>
              {(choice) => <Row choice={choice} list={list} isCurrent={choice.id === current} />}
            </Collection>
          </ListBoxSection>
        )}
      </ListBox>
    </div>
  );
}

function Row({
  choice,
  list,
  isCurrent,
}: {
  readonly choice: VolumeChoice;
  readonly list: VolumeList;
  readonly isCurrent: boolean;
}) {
  const { id, label, shape, type, details, problem } = choice;
  const name = displayText(label || id);
  const facts = [shape.join(' × '), type, id === label ? '' : `ID ${id}`].filter(Boolean).map(displayText);
  return (
    <ListBoxItem id={id} textValue={`${name} ${details}`} className={classes(styles.row)} data-testid="volume-choice">
      <span className={styles.picture}>
        <Check size={14} strokeWidth={3} className={styles.check} aria-hidden />
        {problem === undefined ? <Thumbnail id={id} list={list} /> : <Ban size={20} strokeWidth={1.25} aria-hidden />}
      </span>
      <span className={styles.words}>
        <Text slot="label" className={classes(styles.name)}>
          {name}
          {isCurrent && <span className={styles.current}>open</span>}
        </Text>
        <Text slot="description" className={classes(styles.details)}>
          {problem === undefined ? displayText(details) : `Cannot be opened: ${displayText(problem)}`}
        </Text>
      </span>
      <span className={styles.facts}>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
    </ListBoxItem>
  );
}

/** A small picture. It is requested when it scrolls into view, and the request is dropped when it scrolls out. */
function Thumbnail({ id, list }: { readonly id: string; readonly list: VolumeList }) {
  const place = useRef<HTMLSpanElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<readonly [number, number]>();
  useEffect(() => {
    if (!place.current) return;
    let takeBack: (() => void) | undefined;
    let isShown = false;
    const seen = new IntersectionObserver((entries) => {
      const isInSight = entries.at(-1)?.isIntersecting === true;
      takeBack?.();
      takeBack = undefined;
      if (!isInSight || isShown) return;
      takeBack = list.thumbnail(id, (thumbnail) => {
        isShown = true;
        const context = canvas.current?.getContext('2d');
        if (!thumbnail || !canvas.current || !context) return;
        const { width, height, gray } = thumbnail;
        const pixels = new ImageData(width, height);
        for (const [at, value] of gray.entries()) pixels.data.set([value, value, value, 255], 4 * at);
        canvas.current.width = width;
        canvas.current.height = height;
        context.putImageData(pixels, 0, 0);
        setSize([width, height]);
      });
    });
    seen.observe(place.current);
    return () => {
      seen.disconnect();
      takeBack?.();
    };
  }, [id, list]);
  return (
    <span ref={place} className={styles.thumbnail}>
      <canvas ref={canvas} className={styles.canvas} hidden={!size} aria-hidden data-testid="volume-thumbnail" />
      {!size && <Boxes size={20} strokeWidth={1.25} aria-hidden />}
    </span>
  );
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly choices: readonly VolumeChoice[];
}

/** Groups the choices and keeps their order. */
function groupsOf(choices: readonly VolumeChoice[], fileName: string): Group[] {
  const groups = new Map<string, VolumeChoice[]>();
  for (const choice of choices) {
    const title = choice.group.filter(Boolean).map(displayText).join(' › ');
    const found = groups.get(title);
    if (found) found.push(choice);
    else groups.set(title, [choice]);
  }
  // Choices without a group must not look as if they belonged to the group above them.
  const root = groups.size > 1 ? displayText(fileName) : '';
  return [...groups].map(([title, inside]) => ({ id: title, title: title || root, choices: inside }));
}

function isFound({ id, label, group, details, type }: VolumeChoice, search: string): boolean {
  const text = [id, label, ...group, details, type].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
