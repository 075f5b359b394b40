import { basename } from 'node:path';
import { displayText } from '../../core/shared/display-text.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { type VerifyReport, verifyContainer } from '../../core/stream/check/verify.ts';
import type { VerifyCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { localName } from '../outputs/output-names.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes, faultWords } from '../terminal/messages.ts';
import { formatBytes, formatCount, formatDuration, formatRate } from '../terminal/text.ts';
import { openContainer, withFile } from './files.ts';

/** How many damaged chunks the terminal shows; --json lists more. */
const shownDamage = 10;

/** `stria verify`: decodes every chunk and checks every byte. */
export async function runVerify(command: VerifyCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input } = command;
  const shown = shownPath(input, 'input');
  const { backend, fault, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device, fault));
    const report = await terminal.withProgress(basename(shownPath(localName(input), 'input')), signal, (job) =>
      withFile(input, job, async (source) => verifyContainer(await openContainer(source, job), { backend }, job)),
    );
    terminal.result({ command: 'verify', input, ...report });
    if (report.sound) {
      const { chunkCount, voxelBytes, timesMs } = report;
      const speed = formatRate((voxelBytes / timesMs.total) * 1000);
      const size = `${formatCount(chunkCount)} chunks, ${formatBytes(voxelBytes)}`;
      terminal.say(`${shown}: sound  ${size}  in ${formatDuration(timesMs.total)}, ${speed}`);
      return exitCodes.ok;
    }
    terminal.fail(describeDamage(shown, report));
    return exitCodes.badData;
  } finally {
    await close();
  }
}

function describeDamage(input: string, { damaged, damagedCount, lostCount, chunkCount, problems }: VerifyReport): string {
  const lines = [`stria: ${faultWords.corrupt.title}: ${input}`, ...problems.map((problem) => `  ${displayText(problem)}`)];
  if (damagedCount > 0) lines.push(`  ${formatCount(damagedCount)} of ${formatCount(chunkCount)} chunks are damaged:`);
  for (const { message, origin, t } of damaged.slice(0, shownDamage)) {
    // Messages count from 1, `--json` from 0.
    const voxel = origin.map((index) => index + 1).join(', ');
    lines.push(`    ${displayText(message)} (from voxel ${voxel}${t > 0 ? `, time point ${t + 1}` : ''})`);
  }
  if (damagedCount > shownDamage) lines.push(`    and ${formatCount(damagedCount - shownDamage)} more`);
  const isOnlyLost = lostCount > 0 && damagedCount === 0 && problems.length === 1;
  const { next: otherCopy, nextOfStria: otherCopyOrRecover } = faultWords.corrupt;
  const isAnyIntact = damagedCount + lostCount < chunkCount;
  const next = isOnlyLost
    ? 'All other chunks are sound. `stria decompress --fill` writes 0 for lost voxels.'
    : isAnyIntact
      ? otherCopyOrRecover
      : otherCopy;
  return [...lines, `  ${next}`].join('\n');
}
