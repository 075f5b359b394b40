import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect, type Page } from 'playwright/test';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const bothThemes = ['light', 'dark'] as const;

/** Checks the page, or the part selected by `within`, by axe's rules except those in `without`. Call `loadAxe` first. */
export async function expectAccessible(
  page: Page,
  state: string,
  {
    within,
    without = [],
    themes = bothThemes,
  }: { within?: string; without?: readonly string[]; themes?: readonly (typeof bothThemes)[number][] } = {},
): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    const options = { resultTypes: ['violations'], rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) };
    const { violations } = await page.evaluate(
      async ([selector, how]): Promise<AxeResults> => {
        const { axe } = window as unknown as { axe: { run(context: object, options: object): Promise<AxeResults> } };
        return axe.run(selector === undefined ? document : { include: [selector] }, how);
      },
      [within, options] as const,
    );
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = grave.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })));
    expect.soft(found, `${state}, ${colorScheme}`).toEqual([]);
  }
}

/** Loads axe into the page, through the debugger, which the page's content security policy does not restrict. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axeSource);
}
