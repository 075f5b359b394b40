import { type BenchCase, caseKey, medianMs } from '../../../core/bench/harness/result.ts';
import { type BenchTable, benchTables, type TableId } from '../../../core/bench/harness/tables.ts';
import { publishedSpeedups, publishedTime, speedupHere } from '../../../core/bench/published.ts';
import { formatBytes, formatCount, formatRate, thinSpace } from '../../app/words/units.ts';
import styles from './lab-page.module.css';
import { planeData } from './lab-plane.ts';
import { LabPlot } from './lab-plot.tsx';

/** One table of a suite: its plot, the published figures and every result. */
export function LabTable({
  id,
  cases,
  all,
}: {
  readonly id: TableId;
  readonly cases: readonly BenchCase[];
  readonly all: readonly BenchCase[];
}) {
  const { title, source, axis, plane } = benchTables[id];
  const notes = [...new Set(cases.flatMap(({ note }) => (note?.includes('chunks stay raw') ? [] : (note ?? []))))];
  return (
    <section className={styles.table} aria-label={title} data-testid={`lab-table-${id}`}>
      <h3 className={styles.tableTitle}>{title}</h3>
      {source && <p className={styles.source}>{source}</p>}
      {plane ? (
        <Plane title={title} plane={plane} axis={axis.label} cases={cases} />
      ) : (
        <LabPlot title={title} axis={axis} cases={cases} />
      )}
      <Speedups id={id} all={all} />
      {notes.map((note) => (
        <p key={note} className={styles.source}>
          {note}
        </p>
      ))}
      <details className={styles.figures} open>
        <summary>{cases.length} results</summary>
        <Figures cases={cases} />
      </details>
    </section>
  );
}

/** A grid with the time of the faster method, and the factor by which the other is slower. */
function Plane({
  title,
  plane,
  axis,
  cases,
}: {
  readonly title: string;
  readonly plane: NonNullable<BenchTable['plane']>;
  readonly axis: string;
  readonly cases: readonly BenchCase[];
}) {
  const { xs, rows } = planeData(cases, plane);
  return (
    <table className={styles.rows} data-plot={title} data-testid="lab-plane">
      <caption className={styles.source}>
        {plane.faster}: median time, and how many times longer {plane.slower} takes
      </caption>
      <thead>
        <tr>
          <th>{plane.label}</th>
          {xs.map((x) => (
            <th key={x} className={styles.number}>
              {x}
              {thinSpace}
              {axis}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ y, places }) => (
          <tr key={y}>
            <th>{y}</th>
            {places.map((place, index) => (
              <td key={xs[index]} className={styles.number}>
                {place ? `${milliseconds(place.ms)} · ${threeDigits(place.speedup)}${thinSpace}×` : '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Figures({ cases }: { readonly cases: readonly BenchCase[] }) {
  const published = cases.map(publishedTime);
  const hasPublished = published.some(Boolean);
  return (
    <table className={styles.rows}>
      <thead>
        <tr>
          <th>Input</th>
          <th>Method</th>
          <th>Operation</th>
          <th className={styles.number}>Median</th>
          <th className={styles.number}>p95</th>
          <th>Clock</th>
          <th className={styles.number}>× copy</th>
          <th className={styles.number}>Throughput</th>
          <th className={styles.number}>Output</th>
          {hasPublished && <th className={styles.number}>Published</th>}
        </tr>
      </thead>
      <tbody>
        {cases.map((found, index) => {
          const time = published[index];
          return (
            <tr key={caseKey(found)} data-testid="lab-row" title={`${found.verified}${found.note ? `; ${found.note}` : ''}`}>
              <td>{found.subject}</td>
              <td>{found.method}</td>
              <td>{found.operation}</td>
              <td className={styles.number}>{milliseconds(medianMs(found))}</td>
              <td className={styles.number}>{milliseconds((found.gpuMs ?? found.wallMs).p95)}</td>
              <td>{found.gpuMs ? 'GPU' : 'wall'}</td>
              <td className={styles.number}>{found.timesCopy === undefined ? '' : threeDigits(found.timesCopy)}</td>
              <td className={styles.number}>{formatRate((1000 * found.inputBytes) / medianMs(found))}</td>
              <td className={styles.number}>{formatBytes(found.outputBytes)}</td>
              {hasPublished && (
                <td className={styles.number}>
                  {time && (
                    <>
                      {milliseconds(time.ms)} <span className={styles.hardware}>{time.hardware}</span>
                    </>
                  )}
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Published speedups of one method over another, and the speedups measured here. */
function Speedups({ id, all }: { readonly id: TableId; readonly all: readonly BenchCase[] }) {
  const lines = publishedSpeedups
    .filter(({ tables }) => tables[0] === id)
    .flatMap((speedup) => {
      const here = speedupHere(all, speedup);
      return here ? [{ ...speedup, here }] : [];
    });
  if (lines.length === 0) return null;
  const ratio = (value: number | undefined): string => (value === undefined ? '–' : `${threeDigits(value)}${thinSpace}×`);
  return (
    <table className={styles.rows}>
      <thead>
        <tr>
          <th>Method</th>
          <th>Compared with</th>
          <th className={styles.number}>Speedup here</th>
          <th className={styles.number}>Mean</th>
          <th className={styles.number}>Published speedup</th>
          <th className={styles.number}>Mean</th>
          <th>Hardware</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ slower, faster, min, mean, max, hardware, here }) => (
          <tr key={`${slower} ${faster} ${hardware}`}>
            <td>{faster}</td>
            <td>{slower}</td>
            <td className={styles.number}>
              {ratio(here.min)} to {ratio(here.max)}
            </td>
            <td className={styles.number}>{ratio(here.mean)}</td>
            <td className={styles.number}>{min === undefined ? `up to ${ratio(max)}` : `${ratio(min)} to ${ratio(max)}`}</td>
            <td className={styles.number}>{ratio(mean)}</td>
            <td>{hardware}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Three significant digits, with trailing zeros, so that rows are easy to compare. */
function threeDigits(value: number): string {
  return value < 999.5 ? value.toPrecision(3) : formatCount(value);
}

export function milliseconds(ms: number): string {
  return `${threeDigits(ms)}${thinSpace}ms`;
}
