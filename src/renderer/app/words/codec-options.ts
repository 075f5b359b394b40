import type { CodecOptionName } from '../../../core/codec/codec.ts';
import { chainByName, chainNames, codecs } from '../../../core/codecs/registry.ts';

/** A choice of codecs as a menu shows it. */
export interface CodecMenuItem {
  /** `auto`, `rle`, `rle+huffman`: the command's `--codec`. */
  readonly key: string;
  readonly label: string;
  readonly hint: string;
}

/** Every codec and every chain that people may ask for. */
export function codecMenu(): readonly CodecMenuItem[] {
  return [
    { key: 'auto', label: 'Automatic', hint: 'The best codec for each chunk' },
    ...chainNames().map((name) => {
      const [{ summary }, second] = chainByName(name);
      return { key: name, label: name, hint: second ? `Followed by ${second.name}` : summary };
    }),
  ];
}

/** Whether an option has an effect with this choice of codecs. */
export function takesOption(choice: string, option: CodecOptionName): boolean {
  const chosen = choice === 'auto' ? codecs : chainByName(choice);
  return chosen.some(({ options }) => options.includes(option));
}
