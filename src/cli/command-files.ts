// The man page and the shells' completions, made from the command table, and files for Linux desktops. The build writes them to out/share
// (scripts/command-files.mjs).
import { readableFiles } from '../core/shared/readable-formats.ts';
import { type CommandName, commandEntry, commandNames, optionText } from './arguments/command-table.ts';
import { type OptionName, optionEntry } from './arguments/option-table.ts';
import { exitCodeMeanings } from './terminal/messages.ts';
import { version } from './terminal/version.ts';
import { mediaTypes, thumbnailer } from './thumbnailer.ts';

/** The contents by file name. */
export function commandFiles(): Readonly<Record<string, string>> {
  return {
    'stria.1': manPage(),
    'stria.bash': bashCompletion(),
    _stria: zshCompletion(),
    'stria.fish': fishCompletion(),
    'stria.thumbnailer': thumbnailer(),
    'stria-mime.xml': mediaTypes(),
  };
}

/** Text for roff: a leading dot or quote would be a request, a hyphen would become a dash, and plain terminals have no ellipsis. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/gm, '\\&');
}

function manOption(command: CommandName, name: OptionName): string {
  const { short, value, isValueOptional } = optionEntry(name);
  const names = [...(short ? [`\\fB\\-${short}\\fR`] : []), `\\fB\\-\\-${roff(name)}\\fR`].join(', ');
  const shown = value === undefined ? '' : isValueOptional ? `[=\\fI${roff(value)}\\fR]` : ` \\fI${roff(value)}\\fR`;
  return `.TP\n${names}${shown}\n${roff(optionText(command, name))}`;
}

function manCommand(name: CommandName): string {
  const { usage, summary, options, notes } = commandEntry(name);
  return [
    `.SH ${name.toUpperCase()}`,
    `\\fBstria ${name}\\fR ${roff(usage)}`.trimEnd(),
    '.PP',
    roff(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`),
    ...options.filter((option) => option !== 'help').map((option) => manOption(name, option)),
    ...(notes.length > 0 ? ['.PP', '.nf', ...notes.map(roff), '.fi'] : []),
  ].join('\n');
}

function manPage(): string {
  return [
    `.TH STRIA 1 "" "stria ${version}" "User Commands"`,
    '.SH NAME',
    'stria \\- lossless compressor for scientific volumes',
    '.SH SYNOPSIS',
    '\\fBstria\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'Stria compresses volumes losslessly, on the GPU or the CPU; both give the same bytes.',
    '.PP',
    roff(`Formats it reads: .stria, ${readableFiles}.`),
    ...commandNames.map(manCommand),
    '.SH EXIT STATUS',
    ...exitCodeMeanings.map(([code, meaning]) => `.TP\n${code}\n${roff(meaning)}`),
    '',
  ].join('\n');
}

const longAndShort = (name: OptionName): string[] => {
  const { short } = optionEntry(name);
  return [`--${name}`, ...(short ? [`-${short}`] : [])];
};

function bashCompletion(): string {
  const cases = commandNames.map(
    (name) => `    ${name}) words="${commandEntry(name).options.flatMap(longAndShort).join(' ')}" ;;`,
  );
  return `# Completion of stria for bash. Made from the command table.
_stria() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${commandNames.join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _stria stria
`;
}

/** Inside a zsh specification in single quotes. */
const zshText = (text: string): string => text.replaceAll("'", '’').replace(/[[\]:\\]/g, '\\$&');

function zshCompletion(): string {
  const commands = commandNames.map((name) => `    '${name}:${zshText(commandEntry(name).summary)}'`);
  const cases = commandNames.map((name) => {
    const specs = commandEntry(name).options.flatMap((option) => {
      const { value, isValueOptional } = optionEntry(option);
      const argument = value === undefined ? '' : `${isValueOptional ? '::' : ':'}${zshText(value)}:_files`;
      return longAndShort(option).map((flag) => {
        const joint = value === undefined || flag.length === 2 ? '' : isValueOptional ? '=-' : '=';
        return `'${flag}${joint}[${zshText(optionText(name, option))}]${argument}'`;
      });
    });
    return `    ${name}) _arguments ${specs.join(' ')} '*:file:_files' ;;`;
  });
  return `#compdef stria
# Completion of stria for zsh. Made from the command table.
_stria() {
  local -a commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
_stria "$@"
`;
}

function fishCompletion(): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commandNames.flatMap((name) => [
    `complete -c stria -n __fish_use_subcommand -a ${name} -d ${quoted(commandEntry(name).summary)}`,
    ...commandEntry(name).options.map((option) => {
      const { short, value, isValueOptional } = optionEntry(option);
      const flags = [
        `-l ${option}`,
        ...(short ? [`-s ${short}`] : []),
        ...(value !== undefined && !isValueOptional ? ['-r'] : []),
      ];
      return `complete -c stria -n '__fish_seen_subcommand_from ${name}' ${flags.join(' ')} -d ${quoted(optionText(name, option))}`;
    }),
  ]);
  return `# Completion of stria for fish. Made from the command table.\n${lines.join('\n')}\n`;
}
