import type { Command } from './command.ts';

/** All commands in palette order: first those whose label has the typed text as whole words, then as the beginning of a word. */
export function rankedCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return commands;
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const [whole, beginning] = [`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, `(?<![\\p{L}\\p{N}])${escaped}`].map(
    (pattern) => new RegExp(pattern, 'u'),
  );
  const rank = ({ label }: Command): number => {
    const name = label.toLowerCase();
    return whole?.test(name) ? 0 : beginning?.test(name) ? 1 : 2;
  };
  return commands.toSorted((a, b) => rank(a) - rank(b));
}
