// Lighthouse on the web app that `npm run build:web` has made, served below a path. Lighthouse is no dependency of Stria, because it takes
// 111 MB: install it once with `npm install --prefix node_modules/.cache/lighthouse lighthouse@12`.
//   --folder DIR   the web app (out/web)
//   --gpu          with a software GPU where there is no other, so that the first start opens and compresses its sample
//   --report FILE  also writes Lighthouse's page of findings
// Prints the scores, and what lost points. Exits with 1 if accessibility or best practices are below 100.
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import sirv from 'sirv';
import { findBrowser, neededSwitches } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(root, 'out', 'web') },
    report: { type: 'string' },
    gpu: { type: 'boolean' },
  },
});
const place = process.env.LIGHTHOUSE_DIR ?? join(root, 'node_modules/.cache/lighthouse');
const path = '/lab/stria';

const browser = findBrowser();
const missing = [];
if (!existsSync(join(values.folder, 'index.html'))) missing.push(`the web app in ${values.folder}: run \`npm run build:web\``);
if (!existsSync(join(place, 'node_modules/lighthouse')))
  missing.push('Lighthouse: run `npm install --prefix node_modules/.cache/lighthouse lighthouse@12`');
if (browser === undefined) missing.push('a browser of the Chromium family, or CHROMIUM_PATH');
for (const what of missing) console.log(`lighthouse: not run here. Missing: ${what}.`);
if (missing.length === 0) await run();

async function run() {
  const from = createRequire(pathToFileURL(join(place, 'package.json')));
  const load = async (name) => import(pathToFileURL(from.resolve(name)).href);
  const { default: lighthouse, generateReport } = await load('lighthouse');
  const { launch } = await load('chrome-launcher');
  const serve = sirv(values.folder, { gzip: false, etag: true });
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(`${path}/`)) return void response.writeHead(404).end();
    request.url = request.url.slice(path.length);
    serve(request, response, () => void response.writeHead(404).end());
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const chrome = await launch({
    chromePath: browser,
    chromeFlags: ['--headless=new', ...(values.gpu ? neededSwitches() : process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    const url = `http://127.0.0.1:${server.address().port}${path}/`;
    const { lhr } = await lighthouse(url, {
      port: chrome.port,
      onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
      formFactor: 'desktop',
      screenEmulation: { mobile: false, width: 1280, height: 800, deviceScaleFactor: 1, disabled: false },
      throttlingMethod: 'provided',
      maxWaitForLoad: 120_000,
    });
    for (const { title, score, auditRefs } of Object.values(lhr.categories)) {
      console.log(`${title}: ${Math.round((score ?? 0) * 100)}`);
      for (const { id, weight } of auditRefs) {
        const audit = lhr.audits[id];
        if (weight > 0 && audit?.score !== null && audit.score < 1) {
          console.log(`  ${id} ${audit.score}: ${audit.title} ${audit.displayValue ?? ''}`);
          for (const item of audit.details?.items?.slice(0, 5) ?? []) console.log(`    ${JSON.stringify(item).slice(0, 300)}`);
        }
      }
    }
    if (values.report) writeFileSync(values.report, generateReport(lhr, 'html'));
    const short = ['accessibility', 'best-practices'].filter((id) => lhr.categories[id].score !== 1);
    process.exitCode = short.length > 0 ? 1 : 0;
  } finally {
    await chrome.kill();
    server.close();
    server.closeAllConnections();
  }
}
