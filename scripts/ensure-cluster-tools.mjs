// Finds what `npm run test:cluster` needs: Slurm with its authentication, and Snakemake.
import { ensureTools, hasCommand } from './tools.mjs';

const name = 'ensure-cluster-tools';
if (process.platform !== 'linux' || process.getuid() !== 0) {
  console.error(
    `${name}: the cluster tests start the daemons of Slurm, so they need Linux and root, for example in a container.`,
  );
  process.exit(1);
}
ensureTools(name, [
  {
    what: 'Slurm (slurmctld, slurmd, sbatch)',
    packages: ['slurm-wlm'],
    found: () => ['slurmctld', 'slurmd', 'sbatch'].every((tool) => hasCommand(tool)),
  },
  { what: 'MUNGE (munged)', packages: ['munge'], found: () => hasCommand('munged') },
  { what: 'Snakemake', packages: ['snakemake'], found: () => hasCommand('snakemake') },
]);
