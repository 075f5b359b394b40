import { readableFiles } from '../core/shared/readable-formats.ts';
import { type CommandName, commandEntry, commandNames, optionText } from './arguments/command-table.ts';
import { type OptionName, optionEntry } from './arguments/option-table.ts';
import { exitCodeMeanings } from './terminal/messages.ts';
import { table } from './terminal/text.ts';

/** The text of `stria --help`. */
export function mainHelp(): string {
  const commandRows = commandNames.map((name) => [`  ${name} ${commandEntry(name).usage}`.trimEnd(), commandEntry(name).summary]);
  const codeRows = exitCodeMeanings.map(([code, meaning]) => [`  ${code}`, meaning]);
  return [
    'Stria compresses volumes losslessly, on the GPU or the CPU; both give the same bytes.',
    '',
    'Usage: stria COMMAND [options]',
    '',
    'Commands:',
    table(commandRows),
    '',
    ...wrapped(`Formats it reads: .stria, ${readableFiles}.`),
    '',
    'Options:',
    optionTable(['json', 'quiet', 'help', 'version']),
    '',
    'Exit codes:',
    table(codeRows),
    '',
    '`stria COMMAND --help` lists the options of a command.',
  ].join('\n');
}

/** Lines of at most 120 characters. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.pop() ?? '';
    if (last.length + word.length < 120) lines.push(`${last} ${word}`.trimStart());
    else lines.push(last, word);
  }
  return lines;
}

/** The text of `stria compress --help`. */
export function commandHelp(name: CommandName): string {
  const { usage, summary, options, notes } = commandEntry(name);
  const lines = [
    `stria ${name}: ${summary}`,
    '',
    `Usage: stria ${name} ${usage}`.trimEnd(),
    '',
    'Options:',
    optionTable(options, name),
  ];
  if (notes.length > 0) lines.push('', ...notes);
  return lines.join('\n');
}

/** @param command whose words for options are used */
function optionTable(names: readonly OptionName[], command?: CommandName): string {
  return table(
    names.map((name) => {
      const { short, value, isValueOptional, text } = optionEntry(name);
      const shown = isValueOptional ? `[=${value}]` : value ? ` ${value}` : '';
      return [`  ${short ? `-${short}, ` : '    '}--${name}${shown}`, command === undefined ? text : optionText(command, name)];
    }),
  );
}
