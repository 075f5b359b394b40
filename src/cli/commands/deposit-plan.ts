import type { DepositSettings } from '../../core/particles/deposit-particles.ts';
import { chooseSpecies, openParticles } from '../../core/particles/formats/open-particles.ts';
import { chooseMassUnit } from '../../core/particles/mass-unit.ts';
import { countUnit } from '../../core/particles/particle-placer.ts';
import type { ParticleBox, ParticleGroup } from '../../core/particles/particles.ts';
import { StriaError, toStriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import type { DepositCommand } from '../arguments/parsed-command.ts';
import { inFile, ofNoFile, withFile, withInput } from './files.ts';

/** The particles of all inputs. */
export interface OpenParticles {
  readonly formats: readonly string[];
  readonly groups: readonly ParticleGroup[];
  readonly box: ParticleBox | undefined;
  /** The number of files of the snapshot, if a file states it. */
  readonly fileCount: number;
  /** The opened files. No output may replace them. */
  readonly paths: readonly string[];
  /** @throws StriaError `not-readable` if a file was written to since it was opened */
  readonly checkUnchanged: () => Promise<void>;
}

/** Opens all inputs, runs the work, and closes them. @throws StriaError `invalid-input` for inputs of different boxes without `--box` */
export function withParticles<T>(
  { inputs, masses, species, box }: DepositCommand,
  job: JobOptions,
  work: (particles: OpenParticles) => Promise<T>,
): Promise<T> {
  if (masses !== undefined && inputs.length > 1) throw new StriaError('invalid-input', '--masses belongs to one input');
  const next = (number: number, before: OpenParticles): Promise<T> => {
    const path = inputs[number];
    if (path === undefined) return inputs.length > 1 ? inFile(undefined, () => work(before)) : work(before);
    return withMasses(masses, job, (massSource, checkMasses) =>
      withInput(path, job, async (input, files) => {
        const set = await openParticles(input, { masses: massSource }, job).catch((error: unknown) => {
          // Such a fault names the file of the masses.
          const fault = toStriaError(error);
          throw massSource && fault.context[0] === massSource.name ? ofNoFile(fault) : fault;
        });
        try {
          if (!box && before.box && set.box && JSON.stringify(before.box) !== JSON.stringify(set.box)) {
            throw new StriaError('invalid-input', 'its box differs from that of the first input; --box sets one box for all');
          }
          const groups = chooseSpecies(set, species);
          const chosen = inputs.length > 1 ? groups.map((group) => readFrom(path, group)) : groups;
          return await next(number + 1, {
            formats: [...new Set([...before.formats, set.format])],
            groups: [...before.groups, ...chosen],
            box: before.box ?? set.box,
            fileCount: Math.max(before.fileCount, set.fileCount ?? 1),
            paths: [...before.paths, ...files.paths],
            checkUnchanged: async () => {
              await before.checkUnchanged();
              await files.checkUnchanged();
              await checkMasses();
            },
          });
        } finally {
          set.close?.();
        }
      }),
    );
  };
  return next(0, { formats: [], groups: [], box: undefined, fileCount: 1, paths: [], checkUnchanged: async () => {} });
}

/** A group whose faults name its file, because other groups come from other files. */
function readFrom(path: string, group: ParticleGroup): ParticleGroup {
  const { name, count, lacksMasses, lacksRadii } = group;
  const file = shownPath(path, 'input');
  const read: ParticleGroup['read'] = (...given) => inFile(file, () => group.read(...given));
  return { name: `${name} in ${file}`, count, lacksMasses, lacksRadii, read };
}

type MassSource = NonNullable<Parameters<typeof openParticles>[1]['masses']>;

function withMasses<T>(
  path: string | undefined,
  job: JobOptions,
  work: (source: MassSource | undefined, check: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (path === undefined) return work(undefined, async () => {});
  return withFile(path, job, (source, files) => work(source, () => files.checkUnchanged()));
}

/** Plans the deposit from the options and the inputs. @throws StriaError `invalid-input`, with the name of a missing option */
export async function depositPlan(
  { groups, box: ownBox }: OpenParticles,
  { size, box: wantedBox, edges, kernel = 'cic', quantity: wanted, unit, share, isSums }: DepositCommand,
  job: JobOptions,
): Promise<DepositSettings & { readonly groups: readonly ParticleGroup[] }> {
  if (!size)
    throw ofNoFile(new StriaError('invalid-input', 'deposit needs the dimensions of the volume: --size 512, or --size X,Y,Z'));
  const box = wantedBox ?? ownBox;
  if (!box) {
    throw new StriaError(
      'invalid-input',
      'the file does not state its box; give its first corner and lengths, as in --box 0,0,0,100,100,100',
    );
  }
  const grid = { dims: size, box, edges: edges ?? (wantedBox ? 'clip' : 'periodic') };
  const quantity = wanted === 'count' ? 'count' : 'mass';
  if (quantity === 'count') return { groups, grid, kernel, quantity, unit: countUnit, share };
  // With --part each machine reads all masses. A machine with its own files does not know the others' masses.
  const chosen = unit ?? (await massUnit(groups, job));
  if (unit === undefined && isSums && !share) {
    const advice = `These particles alone could use ${chosen}; for N such inputs, use N times that`;
    throw ofNoFile(
      new StriaError('invalid-input', `sums of masses need --unit, the same for all inputs of the merge. ${advice}`),
    );
  }
  return { groups, grid, kernel, quantity, unit: chosen, share };
}

/** Any unit will do if the particles cannot be deposited: the deposit itself reports why. */
async function massUnit(groups: readonly ParticleGroup[], job: JobOptions): Promise<number> {
  const isPossible =
    groups.some(({ count }) => count > 0) && groups.every(({ lacksMasses, count }) => lacksMasses === undefined || count === 0);
  return isPossible ? chooseMassUnit(groups, job) : 1;
}
