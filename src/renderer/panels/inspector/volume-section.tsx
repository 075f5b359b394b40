import { useCallback, useEffect, useRef } from 'react';
import { channelName } from '../../../core/shared/channel-name.ts';
import { displayText } from '../../../core/shared/display-text.ts';
import { channelAt, channelLayout, type VolumeInfo, volumeBytes } from '../../../core/shared/volume.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { numberOf, ofCount } from '../../app/words/counting.ts';
import { statisticsResolution } from '../../app/words/statistics-resolution.ts';
import {
  formatBytes,
  formatDims,
  formatDuration,
  formatNumber,
  formatSpacing,
  formatType,
  orientation,
  thinSpace,
} from '../../app/words/units.ts';
import { formatValue, valueRange } from '../../app/words/value-words.ts';
import { hasOrientation } from '../../viewer/model/orientation.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { type Fact, Facts } from '../controls/facts.tsx';
import { Range } from '../controls/range.tsx';
import { useAppState } from '../hooks/use-app.ts';
import { TagsFold } from './tags-fold.tsx';
import { Timeline } from './timeline.tsx';
import styles from './volume-section.module.css';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer | undefined;
}

export function VolumeSection({ document, viewer }: Props) {
  const opening = useAppState((state) => state.opening);
  const areLevelsKept = useAppState((state) => state.levelsKeptOf === document.opened);
  const { info } = document;
  const openingFact = opening ? [{ label: 'Opened in', value: formatDuration(opening.ms) }] : [];
  return (
    <>
      <Facts facts={[...factsOf(document), ...openingFact]} testId="volume-facts" />
      {opening && <Timeline spans={opening.timeline} testId="open-timeline" />}
      {document.canKeepLevels && (
        <div className={styles.levels}>
          <CommandButton id="keep-levels" testId="keep-levels" />
          <p className={styles.hint}>
            {areLevelsKept
              ? 'The levels are written, and are used when the file is opened again. In a browser, open both files together.'
              : 'Lower resolutions, so that the file appears at once when it is opened again.'}
          </p>
        </div>
      )}
      {document.tags.length > 0 && <TagsFold tags={document.tags} />}
      {viewer && channelLayout(info).timePoints > 1 && <TimeSlider viewer={viewer} info={info} />}
    </>
  );
}

function factsOf(document: OpenDocument): Fact[] {
  const { format, fileBytes, info, statistics } = document;
  return [
    { label: 'Format', value: format },
    { label: 'Dimensions', value: formatDims(info.dims) },
    ...(info.channels ? [{ label: 'Channels', value: info.channels.map(channelName).join(', ') }] : []),
    { label: 'Type', value: `${info.type} · ${formatType(info.type)}` },
    { label: 'Spacing', value: formatSpacing(info), title: 'Distance between voxel centres along x, y, z' },
    {
      label: 'Orientation',
      value: hasOrientation(info) ? orientation(info.affine) : 'not given',
      title: 'Directions of the x, y and z axes: R right, L left, A anterior, P posterior, S superior, I inferior',
    },
    { label: 'Values', value: `${valueRange(info, statistics)}${info.valueUnit ? ` ${displayText(info.valueUnit)}` : ''}` },
    ...missingFact(document),
    ...(statistics.notFinite > 0 ? [{ label: 'Not finite', value: `${formatNumber(statistics.notFinite)} voxels` }] : []),
    ...(info.slope !== 1 || info.intercept !== 0 ? [{ label: 'Scaling', value: scaling(info) }] : []),
    {
      label: 'Size',
      value:
        fileBytes === undefined
          ? formatBytes(volumeBytes(info))
          : `${formatBytes(volumeBytes(info))}, file ${formatBytes(fileBytes)}`,
    },
    ...resolutionFacts(document),
  ];
}

/** How much of a volume is shown and measured if it is too large for the GPU or the network. */
function resolutionFacts(document: OpenDocument): Fact[] {
  const { decimation, level, isHeldBack, isPreview, isRefining, lacksMemory } = document;
  if (decimation === 1) return [];
  const shown = level
    ? `1/${decimation} resolution, level ${level.number} of ${level.count}`
    : `1 in ${decimation} voxels along each axis`;
  const tooLarge = isHeldBack
    ? 'too large to load over the network'
    : lacksMemory
      ? 'the GPU had no memory for more'
      : 'too large for this GPU';
  const why = document.isReadWhole ? `${tooLarge}, and the file can only be read whole` : tooLarge;
  return [
    {
      label: 'Shown',
      value: isPreview ? previewFact(document) : isRefining ? `${shown}, a finer one is loading` : `${shown}: ${why}`,
      title: 'Slices are read from the file at full resolution if the file can be read in parts',
    },
    {
      label: 'Statistics',
      value: statisticsResolution(document),
      title: 'Voxels used for range, histogram and automatic window. Regions are measured at full resolution',
    },
  ];
}

function previewFact({ decimation, isRefining }: OpenDocument): string {
  const shown = `1 in ${decimation} voxels along each axis, around the middle slices`;
  return isRefining ? `${shown}; the rest is loading` : `${shown}: the rest could not be loaded`;
}

function missingFact({ info, statistics: { missing, min, max, numbers } }: OpenDocument): Fact[] {
  if (missing === 0) return [];
  const marks = [...(min < numbers[0] ? [min] : []), ...(max > numbers[1] ? [max] : [])].map((stored) =>
    formatValue(stored, info),
  );
  return [
    {
      label: 'No data',
      value: `${formatNumber(missing)} voxels: ${marks.join(', ')}`,
      title: 'Values that mark missing data. The histogram and the automatic window ignore them',
    },
  ];
}

/** `× 2 − 1 024`: how a stored value is converted to the shown one. */
function scaling({ slope, intercept }: VolumeInfo): string {
  const shift = intercept === 0 ? '' : ` ${intercept < 0 ? '−' : '+'} ${formatNumber(Math.abs(intercept))}`;
  return `× ${formatNumber(slope)}${shift}`;
}

function TimeSlider({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const count = channelLayout(info).timePoints;
  const words = useCallback((index: number) => ofCount(index, count), [count]);
  const read = useCallback(() => channelAt(info, viewer.snapshot().state.timePoint).time, [viewer, info]);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const show = () => {
      if (place.current) place.current.textContent = `${numberOf(read())}${thinSpace}/${thinSpace}${count}`;
    };
    show();
    return viewer.subscribe(show);
  }, [viewer, count, read]);
  return (
    <div className={styles.time}>
      <span>Time point</span>
      <Range
        label="Time point"
        minimum={0}
        maximum={count - 1}
        step={1}
        read={read}
        subscribe={viewer.subscribe}
        onInput={(time) => viewer.set({ timePoint: viewer.snapshot().state.timePoint - read() + time })}
        words={words}
        testId="time-slider"
      />
      <span ref={place} className={styles.number} />
    </div>
  );
}
