// `npm run test:python`: installs python/ into a virtual environment and runs its tests. Installs or names what is missing. Needs a build.
// With --if-possible, as in `npm test`, a missing Python or package is only reported; a failing build or test is an error anyway.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasCommand, installTools } from './tools.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const given = process.argv.slice(2);
const ifPossible = given.includes('--if-possible');
const environment = join('node_modules', '.cache', 'python');
const python = join(environment, 'bin', 'python');
const run = (program, ...args) =>
  spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, PYTHONPATH: '' } }).status === 0;
const can = (program, code) => spawnSync(program, ['-c', code], { stdio: 'ignore' }).status === 0;

function fail(message) {
  console.error(`test-python: ${message}`);
  process.exit(1);
}

/** Ends because something is missing here. */
function missing(what) {
  if (!ifPossible) fail(`${what}.`);
  console.log(`test-python: NOT RUN: the tests of the Python package. ${what}; then run \`npm run test:python\`.`);
  process.exit(0);
}

/** An interpreter that can build the package, if possible one with packages that more tests use. */
function interpreter() {
  const candidates = [process.env.PYTHON, '/usr/bin/python3', 'python3'].filter((program) => program);
  const header = 'os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))';
  const usable = `import os, sys, sysconfig, venv, ensurepip; assert sys.version_info >= (3, 11) and ${header}`;
  const found = candidates.filter((program) => can(program, usable));
  return (
    ['nibabel, dask', 'numpy, setuptools, wheel', 'numpy']
      .map((packages) => found.find((program) => can(program, `import ${packages}`)))
      .find((program) => program) ?? found[0]
  );
}

if (!existsSync('out/main/cli.js') || !existsSync('python/native/generated/modules.c')) fail('run `npm run build` first');
if (process.platform === 'win32') missing('They need Linux or macOS');
const packages = ['python3-venv', 'python3-dev', 'python3-numpy', 'python3-setuptools', 'python3-wheel'];
const still = installTools('test-python', [
  { what: 'Python 3.11 or later with venv and headers', packages, found: () => interpreter() !== undefined },
  { what: 'a C compiler', packages: ['gcc', 'libc6-dev'], found: () => hasCommand('gcc', 'cc') },
]);
if (still.length > 0) {
  const debian = still.flatMap((tool) => tool.packages).join(' ');
  missing(`Install ${still.map((tool) => tool.what).join(' and ')} (Debian: apt install ${debian})`);
}

if (!run(interpreter(), '-m', 'venv', '--clear', '--system-site-packages', environment))
  fail('no virtual environment could be made');
const pip = (...args) => run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...args);
const absent = ['numpy', 'setuptools', 'wheel'].filter((name) => !can(python, `import ${name}`));
if (absent.length > 0 && !pip('--retries', '1', ...absent)) {
  missing(`Install Python's ${absent.join(', ')}, which pip could not (Debian: apt install python3-${absent.join(' python3-')})`);
}
if (!pip('--no-build-isolation', '--no-deps', './python')) fail('pip could not build the package');
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
const forUnittest = given.filter((argument) => argument !== '--if-possible');
if (!run(python, '-m', 'unittest', 'discover', '-s', 'python/tests', ...forUnittest)) process.exit(1);
