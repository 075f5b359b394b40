import type { BenchResult } from '../../../core/bench/harness/result.ts';
import { formatBytes, formatDuration, formatRatio, thinSpace } from '../../app/words/units.ts';
import { useAppState } from '../hooks/use-app.ts';
import { fileRows, type ProgramRow, type ProgramsOnFile, type ProgramTime } from './file-rows.ts';
import styles from './lab-page.module.css';

/** The results of `stria bench files` that come with the app. */
export function LabFiles() {
  const results = useAppState(({ lab }) => lab.files);
  if (!results) return <p className={styles.empty}>Loading the results.</p>;
  return results.map((result) => <LabFilesResult key={result.date} result={result} />);
}

/** The results of one machine: a table for each file. */
function LabFilesResult({ result: { machine, date, cases, gaps } }: { readonly result: BenchResult }) {
  const { adapter, cpu, threads, runtime } = machine;
  const facts = [adapter?.device, adapter?.description, cpu, `${threads} threads`, runtime, date.slice(0, 10)].filter(Boolean);
  return (
    <section className={styles.onMachine}>
      <p className={styles.machine} data-testid="lab-files-machine">
        {facts.join(' · ')}. Times are medians from file to file, including the start of each program. Every output was
        decompressed and compared.
      </p>
      {fileRows(cases).map((file) => (
        <FileTable key={file.subject} file={file} />
      ))}
      {gaps.length > 0 && (
        <details className={styles.figures}>
          <summary>Not measured: {gaps.length}</summary>
          <ul className={styles.gaps}>
            {gaps.map(({ subject, method, reason }) => (
              <li key={`${method} ${subject}`}>
                {method}, {subject}: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function FileTable({ file: { subject, inputBytes, rows, bestRatio } }: { readonly file: ProgramsOnFile }) {
  return (
    <section className={styles.table} aria-label={subject} data-testid="lab-files-table">
      <h3 className={styles.tableTitle}>
        {subject}, {formatBytes(inputBytes)}
      </h3>
      <table className={styles.rows}>
        <thead>
          <tr>
            <th>Program</th>
            <th colSpan={2}>Ratio</th>
            <th className={styles.number}>Output</th>
            <th className={styles.number}>Compress</th>
            <th className={styles.number}>CPU time</th>
            <th className={styles.number}>Memory</th>
            <th className={styles.number}>Decompress</th>
            <th className={styles.number}>CPU time</th>
            <th className={styles.number}>Memory</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.method} row={row} bestRatio={bestRatio} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ row, bestRatio }: { readonly row: ProgramRow; readonly bestRatio: number }) {
  const { method, ratio, outputBytes, compress, decompress } = row;
  return (
    <tr data-testid="lab-files-row" className={method.startsWith('Stria') ? styles.own : undefined}>
      <td>{method}</td>
      <td className={styles.number}>{formatRatio(ratio)}</td>
      <td className={styles.barCell}>
        <span className={styles.bar} style={{ inlineSize: `${(100 * ratio) / bestRatio}%` }} />
      </td>
      <td className={styles.number}>{formatBytes(outputBytes)}</td>
      <Times time={compress} />
      <Times time={decompress} />
    </tr>
  );
}

function Times({ time }: { readonly time: ProgramTime | undefined }) {
  // The shell reports processor time in steps of 10 ms, so 0 means less than one step.
  const processor = time?.processorMs;
  return (
    <>
      <td className={styles.number}>{time ? formatDuration(time.wallMs) : '–'}</td>
      <td className={styles.number}>
        {processor === undefined ? '–' : processor === 0 ? `<${thinSpace}10${thinSpace}ms` : formatDuration(processor)}
      </td>
      <td className={styles.number}>{time?.peakBytes === undefined ? '–' : formatBytes(time.peakBytes)}</td>
    </>
  );
}
