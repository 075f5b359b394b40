import { toStriaError } from '../core/shared/errors.ts';
import { standardStream } from '../core/shared/standard-streams.ts';
import { parseCommand } from './arguments/args.ts';
import type { ParsedCommand, TalkOptions } from './arguments/parsed-command.ts';
import { runCompress } from './commands/compress.ts';
import { commandHelp, mainHelp } from './help.ts';
import type { CommandContext } from './terminal/context.ts';
import { describeFault, type ExitCode, exitCodes, faultWords } from './terminal/messages.ts';
import { createTerminal } from './terminal/terminal.ts';
import { version } from './terminal/version.ts';

/** Ctrl-C, `kill`, a closed terminal, Ctrl-\. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Runs one command to its end and returns the exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const cancel = new AbortController();
  const stop = () => {
    // A second signal exits at once; temporary files are still removed on exit.
    if (cancel.signal.aborted) process.exit(exitCodes.cancelled);
    cancel.abort();
  };
  for (const signal of endingSignals) process.on(signal, stop);
  // A reader that has gone (`stria info x | head -1`) or a closed terminal is not a fault.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});

  let talk: TalkOptions = { json: argv.includes('--json'), quiet: false };
  try {
    const command = parseCommand(argv);
    if ('json' in command) talk = command;
    const outputOnStdout = 'output' in command && command.output === standardStream;
    return await run(command, { terminal: createTerminal(talk, outputOnStdout), signal: cancel.signal });
  } catch (error) {
    const fault = toStriaError(error);
    const terminal = createTerminal(talk);
    const { tag, fullMessage: message, choices } = fault;
    terminal.result({ error: { tag, message, ...(choices && { volumes: choices }) } });
    terminal.fail(describeFault(fault, argv[0]));
    return faultWords[fault.tag].exitCode;
  } finally {
    for (const signal of endingSignals) process.off(signal, stop);
  }
}

/**
 * Loads a command's code when the command runs, because start-up is half of the time for a small file. `compress` is loaded
 * from the start: another file would cost as much as it saves.
 */
async function run(command: ParsedCommand, context: CommandContext): Promise<ExitCode> {
  switch (command.name) {
    case 'help':
      process.stdout.write(`${command.topic ? commandHelp(command.topic) : mainHelp()}\n`);
      return exitCodes.ok;
    case 'version':
      process.stdout.write(`${version}\n`);
      return exitCodes.ok;
    case 'compress':
      return runCompress(command, context);
    case 'decompress':
      return (await import('./commands/decompress.ts')).runDecompress(command, context);
    case 'verify':
      return (await import('./commands/verify.ts')).runVerify(command, context);
    case 'info':
      return (await import('./commands/info.ts')).runInfo(command, context);
    case 'stats':
      return (await import('./commands/stats.ts')).runStats(command, context);
    case 'picture':
      return (await import('./commands/picture.ts')).runPicture(command, context);
    case 'movie':
      return (await import('./commands/movie.ts')).runMovie(command, context);
    case 'mesh':
      return (await import('./commands/mesh.ts')).runMesh(command, context);
    case 'merge':
      return (await import('./commands/merge.ts')).runMerge(command, context);
    case 'deposit':
      return (await import('./commands/deposit.ts')).runDeposit(command, context);
    case 'levels':
      return (await import('./commands/levels.ts')).runLevels(command, context);
    case 'recover':
      return (await import('./commands/recover.ts')).runRecover(command, context);
    case 'serve':
      return (await import('./commands/serve.ts')).runServe(command, context);
    case 'sample':
      return (await import('./commands/sample.ts')).runSample(command, context);
    case 'bench':
      return (await import('./commands/bench.ts')).runBench(command, context);
    case 'gpu':
      return (await import('./commands/gpu.ts')).runGpu(command, context);
  }
}
