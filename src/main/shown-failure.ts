import type { MessageBoxOptions } from 'electron';
import { toStriaError } from '../core/shared/errors.ts';

/** Runs work of a menu item, and shows a message if it fails. Never rejects. */
export async function showFailure(
  message: string,
  work: () => void | Promise<void>,
  show: (box: MessageBoxOptions) => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    await show({ type: 'error', message, detail: toStriaError(error).message, buttons: ['OK'] });
  }
}
