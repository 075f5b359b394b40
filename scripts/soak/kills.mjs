import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { prepared } from './jobs.mjs';
import { digest, fail, repeat, say, started, Tally, temporaryFolder } from './tally.mjs';

/**
 * Ends commands, and saves of the app, by SIGKILL at any moment: under the final name is what was there before, or the whole result.
 * Half of the kills come at any time after the start, the others after the temporary file has appeared.
 */
export async function kills({ seconds, seed, from }, { Random }) {
  const folder = temporaryFolder();
  const jobs = await prepared(folder);
  const tally = new Tally('kills', seed, from);
  await repeat(tally, seconds, async (number, place) => {
    const random = new Random(seed, number);
    const job = random.pick(jobs);
    const isReplacing = random.oneIn(2) && job.old !== undefined;
    const what = `case ${number} of seed ${seed}, ${job.name}${isReplacing ? ' over a former result' : ''}`;
    const out = join(place, job.out);
    if (isReplacing) cpSync(job.old, out, { recursive: true });
    const before = digest(out);
    const isLate = random.oneIn(2);
    const delay = random.below(1001) / 1000;
    const { child, ended } = started(process.execPath, job.args(out));
    const kill = () => child.kill('SIGKILL');
    let timer;
    let watcher;
    if (isLate) {
      watcher = watch(place, () => {
        timer ??= setTimeout(kill, delay * 0.3 * job.ms);
      });
    } else timer = setTimeout(kill, (0.2 + 0.7 * delay) * job.ms);
    const { signal, code, errors } = await ended;
    clearTimeout(timer);
    watcher?.close();

    const now = digest(out);
    const isOld = now === before;
    const isWhole = now === job.whole;
    if (signal === null && (code !== 0 || !isWhole)) fail(`${what}: it ended by itself (${code}) without its result: ${errors}`);
    const rest = readdirSync(place).filter((name) => name !== job.out);
    // A folder has no rename that replaces another: between two renames the former one is set aside.
    const isAside = now === undefined && rest.some((name) => name.endsWith('.replaced') && digest(join(place, name)) === before);
    if (!isOld && !isWhole && !isAside) fail(`${what}: part of a result is under its final name`);
    if (rest.some((name) => !/\.(partial|partial-folder|part|replaced)$/.test(name))) fail(`${what}: left ${rest.join(', ')}`);
    if (signal === 'SIGKILL') tally.add('killed', `killed: ${job.name}`);
    else tally.add('ended by themselves');
    if (isAside) tally.add('former folder set aside');
    if (rest.length === 0) return;
    tally.add('temporary left');
    if (job.nextStart) {
      const { status, stderr } = spawnSync(process.execPath, job.nextStart(out), { encoding: 'utf8' });
      const stays = readdirSync(place).filter((name) => name !== job.out);
      if (status !== 0 || stays.length > 0) fail(`${what}: the next start of the app leaves ${stays.join(', ')}: ${stderr}`);
      if (digest(out) !== now) fail(`${what}: the next start of the app changes the result`);
      tally.add('temporary removed by the next start of the app');
    }
    // The next run of a command names what a killed one has left. To try each would double the time.
    if (job.isCommand && random.oneIn(4)) {
      const { stderr } = spawnSync(
        process.execPath,
        job.args(out).filter((word) => word !== '--quiet'),
        { encoding: 'utf8' },
      );
      for (const name of rest) if (!stderr.includes(name)) fail(`${what}: the next run does not name ${name}: ${stderr}`);
      tally.add('temporary named by the next run');
    }
  });
  say(`kills (seed ${seed}, up to case ${tally.next - 1}): no part of a result under a final name. ${tally}`);
}
