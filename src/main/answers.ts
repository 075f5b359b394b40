import { faultToData, StriaError } from '../core/shared/errors.ts';
import type { Answer, CallName, Calls } from '../core/shared/ipc.ts';
import { checkArguments, isCallName } from './call-arguments.ts';

/** One handler for each call. A missing handler does not compile. */
export type Handlers<Context> = {
  [Name in CallName]: (context: Context, ...args: Calls[Name]['args']) => Calls[Name]['result'] | Promise<Calls[Name]['result']>;
};

/** Runs the handler of a call whose name and arguments come from the renderer. Never rejects. */
export async function answerCall<Context>(
  handlers: Handlers<Context>,
  context: Context,
  name: unknown,
  args: readonly unknown[],
): Promise<Answer<Calls[CallName]['result']>> {
  return answerOf(() => {
    if (!isCallName(name)) throw new StriaError('invalid-input', 'There is no such call');
    return run(handlers, context, name, args);
  });
}

/** The result or the fault of `work`, as plain data. Never rejects. */
export async function answerOf<T>(work: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const fault = faultToData(error);
    if (fault.tag === 'internal') console.error(error);
    return { ok: false, error: fault };
  }
}

function run<Context, Name extends CallName>(
  handlers: Handlers<Context>,
  context: Context,
  name: Name,
  args: readonly unknown[],
): Calls[Name]['result'] | Promise<Calls[Name]['result']> {
  const checked = checkArguments(name, args);
  return handlers[name](context, ...checked);
}
