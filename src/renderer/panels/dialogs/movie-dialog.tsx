import { Clapperboard } from 'lucide-react';
import { channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import { frameOptions, shownFrames } from '../../app/output/movie-maker.ts';
import { type MovieFormat, type MovieOptions, mostFramesPerSecond } from '../../app/state/output-options.ts';
import { openDocument } from '../../app/state/store.ts';
import { indexOf, numberOf } from '../../app/words/counting.ts';
import { formatCount } from '../../app/words/units.ts';
import { type MovieKind, mostFrames } from '../../viewer/model/movie-frames.ts';
import type { Turn } from '../../viewer/model/picture.ts';
import type { SliceAxis } from '../../viewer/model/viewer-api.ts';
import { Button } from '../controls/button.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './picture-dialog.module.css';
import { PictureFields, PlannedSize, useCanDraw, useViews, ViewChoice } from './picture-dialog.tsx';
import { Sheet } from './sheet.tsx';

const turns: readonly { readonly key: Turn; readonly label: string }[] = [
  { key: 'upright', label: 'Vertical' },
  { key: 'across', label: 'Horizontal' },
];
const formats: readonly { readonly key: MovieFormat; readonly label: string; readonly testId: string }[] = [
  { key: 'pictures', label: 'PNGs', testId: 'movie-pictures' },
  { key: 'video', label: 'Video', testId: 'movie-video' },
];
const kindNames: Readonly<Record<MovieKind, string>> = { turn: 'Turntable', slices: 'Slices', time: 'Time' };
/** Titles of the dialog when only one kind of movie is possible. */
const kindTitles: Readonly<Record<MovieKind, string>> = {
  turn: 'Make turntable movie',
  slices: 'Make movie of slices',
  time: 'Make movie of time points',
};

/** Asks for the options of a movie, then draws it frame by frame into a new folder, a ZIP file or a video. */
export function MovieDialog({ onDone }: { readonly onDone: () => void }) {
  const { output } = useApp();
  const movie = useAppState((state) => state.output.movie);
  const picture = useAppState((state) => state.output.picture);
  const info = useAppState((state) => openDocument(state)?.info);
  const views = useViews();
  const axes = (['z', 'y', 'x'] as const).filter((axis) => views.includes(axis) && lengthOf(info, axis) > 1);
  const kinds = (['turn', 'slices', 'time'] as const).filter((kind) =>
    kind === 'turn' ? views.includes('3d') : kind === 'slices' ? axes.length > 0 : lengthOf(info, 't') > 1,
  );
  const shown = info ? fitted(movie, info, kinds, axes) : movie;
  const options = frameOptions(shown, picture);
  const canDraw = useCanDraw(options);
  if (!info) return null;
  if (shown !== movie) queueMicrotask(() => output.setMovie(shown));
  const frames = shownFrames(shown, info, 0).length;
  return (
    <Sheet title={kinds.length === 1 ? kindTitles[shown.kind] : 'Make movie'} onDone={onDone} testId="movie-dialog">
      {kinds.length === 0 ? (
        <p className={styles.lead}>Nothing here can be animated. Show the 3D view, or open a volume with several slices.</p>
      ) : (
        <>
          {kinds.length > 1 && (
            <Segmented
              label="Movie of"
              segments={kinds.map((key) => ({ key, label: kindNames[key], testId: `movie-${key}` }))}
              value={shown.kind}
              onChange={(kind) => output.setMovie(wholeRange(info, { ...shown, kind }))}
            />
          )}
          {shown.kind === 'turn' && <TurnFields movie={shown} />}
          {shown.kind === 'slices' && (
            <Row label="Slices across">
              {axes.length > 1 ? (
                <Segmented<SliceAxis>
                  label="Slices across"
                  segments={axes.map((key) => ({ key, label: key }))}
                  value={shown.axis}
                  onChange={(axis) => output.setMovie(wholeRange(info, { ...shown, axis }))}
                />
              ) : (
                <span>{shown.axis}</span>
              )}
            </Row>
          )}
          {shown.kind === 'time' && <ViewChoice views={views} />}
          {shown.kind !== 'turn' && <RangeFields movie={shown} count={lengthOf(info, rangeAxis(shown))} />}
          {output.canMakeVideo && <FormatFields movie={shown} />}
          <PictureFields options={options} isOpaque={shown.format === 'video'} />
        </>
      )}
      <div className={styles.actions}>
        <p className={styles.note} role="status">
          {frames > 0 && (
            <>
              {formatCount(frames)} {shown.format === 'video' ? 'frames' : 'PNGs'}, <PlannedSize options={options} />
            </>
          )}
        </p>
        <Button kind="primary" isDisabled={frames === 0 || !canDraw} onPress={() => void output.makeMovie()} testId="movie-make">
          <Clapperboard size={14} aria-hidden />
          {shown.format === 'video' ? 'Save video…' : output.picturesBecome === 'zip' ? 'Save ZIP…' : 'Choose folder…'}
        </Button>
      </div>
    </Sheet>
  );
}

function FormatFields({ movie }: { readonly movie: MovieOptions }) {
  const { output } = useApp();
  return (
    <>
      <Row label="Format">
        <Segmented<MovieFormat>
          label="Format"
          segments={formats}
          value={movie.format}
          onChange={(format) => output.setMovie({ format })}
        />
      </Row>
      {movie.format === 'video' && (
        <NumberInput
          label="Frames per second"
          value={movie.framesPerSecond}
          minimum={1}
          isWhole
          maximum={mostFramesPerSecond}
          onChange={(framesPerSecond) => output.setMovie({ framesPerSecond })}
        />
      )}
    </>
  );
}

function TurnFields({ movie }: { readonly movie: MovieOptions }) {
  const { output } = useApp();
  return (
    <>
      <Row label="Axis">
        <Segmented label="Axis" segments={turns} value={movie.turn} onChange={(turn) => output.setMovie({ turn })} />
      </Row>
      <div className={styles.lengths}>
        <NumberInput label="Degrees" value={movie.degrees} onChange={(degrees) => output.setMovie({ degrees })} />
        <NumberInput
          label="Frames"
          value={movie.frames}
          minimum={1}
          isWhole
          maximum={mostFrames}
          onChange={(frames) => output.setMovie({ frames })}
        />
      </div>
    </>
  );
}

function RangeFields({ movie, count }: { readonly movie: MovieOptions; readonly count: number }) {
  const { output } = useApp();
  const place = (label: string, value: number, key: 'first' | 'last') => (
    <NumberInput
      label={label}
      value={numberOf(value)}
      minimum={1}
      isWhole
      maximum={count}
      onChange={(next) => output.setMovie({ [key]: indexOf(next) })}
    />
  );
  return (
    <div className={styles.lengths}>
      {place('First', movie.first, 'first')}
      {place('Last', movie.last, 'last')}
    </div>
  );
}

function rangeAxis({ kind, axis }: MovieOptions): SliceAxis | 't' {
  return kind === 'time' ? 't' : axis;
}

/** The number of slices across an axis, or of time points of each channel. */
function lengthOf(info: VolumeInfo | undefined, axis: SliceAxis | 't'): number {
  if (!info) return 1;
  return axis === 't' ? channelLayout(info).timePoints : (info.dims['xyz'.indexOf(axis)] ?? 1);
}

function wholeRange(info: VolumeInfo, movie: MovieOptions): MovieOptions {
  return movie.kind === 'turn' ? movie : { ...movie, first: 0, last: lengthOf(info, rangeAxis(movie)) - 1 };
}

/** The options, adjusted to what can be animated now. */
function fitted(movie: MovieOptions, info: VolumeInfo, kinds: readonly MovieKind[], axes: readonly SliceAxis[]): MovieOptions {
  const kind = kinds.includes(movie.kind) ? movie.kind : (kinds[0] ?? movie.kind);
  const axis = axes.includes(movie.axis) ? movie.axis : (axes[0] ?? movie.axis);
  const last = lengthOf(info, rangeAxis({ ...movie, kind, axis })) - 1;
  const isOut = kind !== 'turn' && Math.max(movie.first, movie.last) > last;
  if (kind === movie.kind && axis === movie.axis && !isOut) return movie;
  return wholeRange(info, { ...movie, kind, axis });
}
