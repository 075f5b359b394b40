// `npm run test:python`: installs python/ into a virtual environment and runs its tests. Says what is missing. Needs a build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const environment = join('node_modules', '.cache', 'python');
const python = join(environment, 'bin', 'python');
const run = (program, ...args) =>
  spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, PYTHONPATH: '' } }).status === 0;
const can = (program, code) => spawnSync(program, ['-c', code], { stdio: 'ignore' }).status === 0;

function fail(message) {
  console.error(`test-python: ${message}`);
  process.exit(1);
}

if (!existsSync('out/main/cli.js') || !existsSync('python/native/generated/modules.c')) fail('run `npm run build` first');
const candidates = [process.env.PYTHON, '/usr/bin/python3', 'python3'].filter((program) => program);
const usable = candidates.filter((program) =>
  can(program, 'import sys; assert sys.version_info >= (3, 11); import numpy, venv, ensurepip'),
);
const base = usable.find((program) => can(program, 'import nibabel, dask')) ?? usable[0];
if (!base)
  fail('needs Python 3.11 or later with NumPy and venv; on Debian: apt install python3-numpy python3-venv python3-dev gcc');

if (!run(base, '-m', 'venv', '--clear', '--system-site-packages', environment)) fail('no virtual environment could be made');
const missing = ['setuptools', 'wheel'].filter((name) => !can(python, `import ${name}`));
const isolation = missing.length === 0 ? ['--no-build-isolation', '--no-deps'] : [];
if (missing.length > 0) console.log(`test-python: without ${missing.join(' and ')} here, pip fetches what the build needs`);
if (!run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...isolation, './python')) {
  fail('pip could not build the package: it needs gcc and python3-dev, and setuptools and wheel here or a package index');
}
for (const [called, name, why] of [
  ['nibabel', 'nibabel', 'NIfTI files are not compared with it'],
  ['dask', 'dask', 'dask.array.from_array is not tried'],
  ['zarr 3', 'zarr.abc.codec', 'the codec in a Zarr v3 array is not tried'],
  ['npe2', 'npe2', 'the napari manifest is only parsed'],
]) {
  if (!can(python, `import ${name}`)) console.log(`test-python: no ${called} here: ${why}`);
}
// Debian 12's mypy knows too little of Python 3.12.
const currentMypy = 'from mypy.version import __version__ as v; assert tuple(map(int, v.split(".")[:2])) >= (1, 10)';
if (can(python, currentMypy) && !run(python, '-m', 'mypy', '--config-file', 'python/pyproject.toml', 'python/src/stria'))
  fail('types');
if (!run(python, '-m', 'unittest', 'discover', '-s', 'python/tests', ...process.argv.slice(2))) process.exit(1);
