import type { ReactNode } from 'react';
import { useCommand } from '../hooks/use-command.ts';
import styles from './button.module.css';
import { Button, type ButtonProps, IconButton } from './button.tsx';

interface Props {
  /** Of the command. It says the words, the key and whether it can be done. */
  readonly id: string;
  readonly testId?: string;
}

interface WordsProps extends Props, Pick<ButtonProps, 'kind' | 'autoFocus'> {
  readonly icon?: ReactNode;
  /** Whether it shows the key, too. */
  readonly hasKey?: boolean;
  /** Done before the command: a dialog closes. */
  readonly before?: () => void;
}

/** A button that runs a command, with words. */
export function CommandButton({ id, icon, before, hasKey = false, ...props }: WordsProps) {
  const { words, shortcut, isEnabled, run } = useCommand(id);
  const onPress = () => {
    before?.();
    run();
  };
  return (
    <Button {...props} onPress={onPress} isDisabled={!isEnabled}>
      {icon}
      {words}
      {hasKey && <kbd className={styles.ownKey}>{shortcut}</kbd>}
    </Button>
  );
}

/** A button that runs a command, with an icon. */
export function CommandIconButton({ id, icon, ...props }: Props & { readonly icon: ReactNode }) {
  const { tip, shortcut, isEnabled, run } = useCommand(id);
  return <IconButton {...props} label={tip} shortcut={shortcut} icon={icon} onPress={run} isDisabled={!isEnabled} />;
}
