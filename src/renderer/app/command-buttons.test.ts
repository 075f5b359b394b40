import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { App } from './app.ts';
import { createCommands } from './commands.ts';
import { createAppStore } from './state/store.ts';

/**
 * Buttons that run a command are `CommandButton`s, which take label, shortcut and enabled state from the table of commands.
 * So no other button may call a method that a command calls.
 */
const panels = readdirSync('src/renderer/panels', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.tsx'))
  .map((path) => ({ path, text: readFileSync(`src/renderer/panels/${path}`, 'utf8') }));

/** Buttons that use a command's method for something else, and what they do. */
const others: Readonly<Record<string, string>> = {
  'measuring.remove': 'deletes the measurement of its row, chosen or not',
  'copyDiagnostics(fault': 'adds the fault that it stands beside',
  'saveReport(fault': 'the same',
};

/** Every method of the app that a command calls, such as `playback.step`, except setters. */
function calledByCommands(): string[] {
  const called = new Set<string>();
  const store = createAppStore();
  store.setState({ chosenMeasurement: 'one' });
  const record = (path: string): unknown =>
    new Proxy(() => undefined, {
      get: (_, name) => record(path === '' ? String(name) : `${path}.${String(name)}`),
      apply: () => void called.add(path),
    });
  const app = new Proxy({ store, debug: true }, { get: (own, name) => Reflect.get(own, name) ?? record(String(name)) });
  for (const command of createCommands(app as unknown as App)) command.run();
  return [...called].filter((path) => path !== 'settings.set' && path !== 'view.change');
}

/** The text in the braces of each press handler: `onPress={…}`, and `onAction: …` up to the end of its line. */
function handlersIn(text: string): string[] {
  const found: string[] = [];
  for (const { index } of text.matchAll(/onPress=\{/g)) {
    let depth = 0;
    let end = index + 'onPress='.length;
    do {
      if (text[end] === '{') depth++;
      else if (text[end] === '}') depth--;
      end++;
    } while (depth > 0 && end < text.length);
    found.push(text.slice(index, end));
  }
  for (const [handler] of text.matchAll(/onAction:.*/g)) found.push(handler);
  return found;
}

function strangers(text: string, called: readonly string[]): string[] {
  return handlersIn(text).filter((handler) => {
    if (Object.keys(others).some((other) => handler.includes(other))) return false;
    const isButton = handler.startsWith('onPress');
    // A panel may hold a part of the app in a variable: `comparison.end()`.
    const isCalled = (path: string) =>
      new RegExp(`(?<![\\w.])${path.includes('.') ? '(app\\.)?' : 'app\\.'}${path}\\(`).test(handler);
    return (isButton && handler.includes('runCommand(')) || called.some(isCalled);
  });
}

describe('buttons that run commands', () => {
  const called = calledByCommands();

  it('take their labels from the table of commands', () => {
    expect(called).toEqual(
      expect.arrayContaining(['dialogs.open', 'document.close', 'document.compress', 'playback.step', 'comparison.end']),
    );
    const found = panels.flatMap(({ path, text }) =>
      path.endsWith('command-button.tsx') ? [] : strangers(text, called).map((handler) => `${path}: ${handler}`),
    );
    expect(found).toEqual([]);
  });

  it('are found if they have labels of their own', () => {
    const button = (handler: string) => `<Button onPress={${handler}}>My own words</Button>`;
    for (const handler of [
      '() => app.document.close()',
      '() => void app.reports.copyDiagnostics()',
      "() => { done(); app.runCommand('movie'); }",
    ]) {
      expect(strangers(button(handler), called), handler).toHaveLength(1);
    }
    expect(strangers("entries: [{ onAction: () => app.view.presetWindow('auto') }]", called)).toHaveLength(1);
    expect(strangers(button('() => app.queue.cancelAll()'), called)).toEqual([]);
  });

  it('name existing commands', () => {
    const ids = new Set(createCommands({ store: createAppStore(), debug: true } as unknown as App).map(({ id }) => id));
    const named = panels.flatMap(({ text }) =>
      [...text.matchAll(/<Command(?:Icon)?Button\s+id="([^"]+)"/g), ...text.matchAll(/choiceOf\(app, '([^']+)'\)/g)].map(
        ([, id]) => id,
      ),
    );
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter((id) => !ids.has(id as string))).toEqual([]);
  });
});
