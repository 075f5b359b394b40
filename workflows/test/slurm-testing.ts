import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A Slurm cluster on this machine: a controller and several nodes, with all their files in one folder. */
export interface TestCluster {
  /** The environment of commands that talk to it. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends a node like a power cut: its daemon and all that runs there. */
  killNode(name: string): void;
  startNode(name: string): void;
  stop(): void;
}

const nodes = ['n1', 'n2', 'n3'] as const;
const firstPort = 17_001;

/** Starts munged, slurmctld and a slurmd for each node. @param folder must not be writable by others */
export function startCluster(folder: string): TestCluster {
  const at = (name: string) => join(folder, name);
  const host = hostname().split('.')[0] as string;
  chmodSync(folder, 0o755);
  mkdirSync(at('state'));
  writeFileSync(at('munge.key'), crypto.getRandomValues(new Uint8Array(1024)), { mode: 0o600 });
  writeFileSync(
    at('slurm.conf'),
    `${[
      'ClusterName=stria-test',
      `SlurmctldHost=${host}(127.0.0.1)`,
      'SlurmctldPort=16817',
      'SlurmUser=root',
      'SlurmdUser=root',
      'AuthType=auth/munge',
      `AuthInfo=socket=${at('munge.socket')}`,
      `StateSaveLocation=${at('state')}`,
      `SlurmdSpoolDir=${at('spool.%n')}`,
      `SlurmctldPidFile=${at('slurmctld.pid')}`,
      `SlurmdPidFile=${at('slurmd.%n.pid')}`,
      `SlurmctldLogFile=${at('slurmctld.log')}`,
      `SlurmdLogFile=${at('slurmd.%n.log')}`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SelectType=select/cons_tres',
      'SwitchType=switch/none',
      'MpiDefault=none',
      'ReturnToService=2',
      'SlurmdTimeout=5',
      'MaxArraySize=100',
      `NodeName=n[1-${nodes.length}] NodeHostname=${host} NodeAddr=127.0.0.1 Port=[${firstPort}-${firstPort + nodes.length - 1}] CPUs=1`,
      'PartitionName=all Nodes=ALL Default=YES State=UP',
    ].join('\n')}\n`,
  );
  const env = { ...process.env, SLURM_CONF: at('slurm.conf') };
  const daemon = (command: string, ...args: readonly string[]) => execFileSync(command, args, { env, stdio: 'ignore' });
  const munge = ['key-file', 'socket', 'pid-file', 'log-file', 'seed-file'].map(
    (name) => `--${name}=${at(`munge.${name.split('-')[0]}`)}`,
  );
  daemon('munged', '--force', ...munge);
  daemon('slurmctld');
  const startNode = (name: string) => {
    mkdirSync(at(`spool.${name}`), { recursive: true });
    daemon('slurmd', '-N', name);
  };
  for (const name of nodes) startNode(name);
  const end = (pidFile: string) => spawnSync('kill', ['-9', readFileSync(at(pidFile), 'utf8').trim()]);
  const killNode = (name: string) => {
    const tasks = processesWith(`SLURMD_NODENAME=${name}`);
    // First those who would report that their tasks were killed.
    end(`slurmd.${name}.pid`);
    const supervisors = tasks.map((pid) => statOf(pid)[1]).filter((pid) => statOf(pid)[0] === 'slurmstepd');
    for (const pid of [...supervisors, ...tasks]) spawnSync('kill', ['-9', pid]);
  };
  return {
    env,
    killNode,
    startNode,
    stop() {
      spawnSync('scancel', ['--user=root', '--state=RUNNING'], { env });
      for (const name of nodes) killNode(name);
      end('slurmctld.pid');
      end('munge.pid');
    },
  };
}

/** A process's name and its parent; '' if it has ended. */
function statOf(pid: string): readonly [name: string, parent: string] {
  try {
    const [, name = '', parent = ''] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return [name, parent];
  } catch {
    return ['', ''];
  }
}

/** The processes whose environment has an entry. */
function processesWith(entry: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(entry);
    } catch {
      // It has ended.
      return false;
    }
  });
}
