import { expect, test } from 'vitest';
import { PageLives } from './page-lives.ts';

/** A dialog that the user answers later. */
function openDialog() {
  let answer: (path: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    answer = resolve;
  });
  return { answered, answer };
}

test('an answer reaches the page that asked', async () => {
  const pages = new PageLives();
  const { answered, answer } = openDialog();
  const received = pages.answer(1, answered);
  pages.end(2);
  answer('/a.stria');
  expect(await received).toBe('/a.stria');
});

test('after the page has crashed, the answer to its dialog begins nothing; the next page gets its own answers', async () => {
  const pages = new PageLives();
  const [crashed, next] = [openDialog(), openDialog()];
  const lost = pages.answer(1, crashed.answered);
  pages.end(1);
  const received = pages.answer(1, next.answered);
  crashed.answer('/a.stria');
  next.answer('/b.stria');
  expect(await lost).toBeUndefined();
  expect(await received).toBe('/b.stria');
});

test('a dialog that fails rejects', async () => {
  await expect(new PageLives().answer(1, Promise.reject(new Error('no dialog')))).rejects.toThrow('no dialog');
});
