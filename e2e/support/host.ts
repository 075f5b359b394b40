import { resolve } from 'node:path';
import type { JSHandle, Page } from 'playwright/test';
import { build } from 'vite';
import type { HostHook } from './host-hook.ts';

let code: Promise<string> | undefined;

/**
 * Adds a separate Host to the page, beside the UI's, and returns its handle. The debugger runs the script, since the page's
 * content security policy does not restrict it.
 */
export async function hookHost(page: Page): Promise<JSHandle<HostHook>> {
  code ??= bundle();
  await page.evaluate(await code);
  return page.evaluateHandle(() => (window as unknown as { striaHook: HostHook }).striaHook);
}

async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, lib: { entry: resolve('e2e/support/host-hook.ts'), formats: ['iife'], name: 'hook' } },
  });
  const [first] = Array.isArray(result) ? result : [result];
  if (first === undefined || !('output' in first)) throw new Error('The hook could not be built');
  return first.output[0].code;
}
