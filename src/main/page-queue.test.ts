import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { queueForPage } from './page-queue.ts';

test.each(['did-navigate', 'render-process-gone'])('what is sent between %s and the next load reaches the new page', (event) => {
  const contents = new EventEmitter();
  const queue = queueForPage(contents);
  const sent: string[] = [];
  queue(() => sent.push('first'));
  expect(sent).toEqual([]);
  contents.emit('did-finish-load');
  queue(() => sent.push('second'));
  expect(sent).toEqual(['first', 'second']);
  contents.emit(event);
  queue(() => sent.push('third'));
  expect(sent).toEqual(['first', 'second']);
  contents.emit('did-finish-load');
  expect(sent).toEqual(['first', 'second', 'third']);
});
