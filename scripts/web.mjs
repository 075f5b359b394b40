// `npm run web`: the same renderer as the desktop app's, served on loopback and opened in an installed browser.
//   --port N    the port (a free one where it is left out)
//   --no-open   only serve and print the address
import { parseArgs } from 'node:util';
import { findBrowser, hasDisplay, openBrowser } from './browser.mjs';
import { serveRenderer } from './web-server.mjs';

try {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, open: { type: 'boolean', default: true } },
    allowNegative: true,
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port must be from 0 to 65535, not '${values.port}'`);
  const { url, close } = await serveRenderer({ port });
  console.log(`Stria is served at ${url}`);
  const browser = values.open && hasDisplay() ? findBrowser() : undefined;
  if (browser) {
    console.log(`Opened in ${browser}. Close its window, or press Ctrl-C, to end.`);
    await openBrowser(browser, url);
    close();
  } else {
    console.log('Open it in a browser with WebGPU (Chrome, Edge, Chromium). Ctrl-C ends.');
  }
} catch (error) {
  console.error(`web: ${error.message}`);
  process.exitCode = 1;
}
