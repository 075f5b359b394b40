import type { ReactNode } from 'react';
import { useCommand } from '../hooks/use-command.ts';
import styles from './button.module.css';
import { Button, type ButtonProps, IconButton } from './button.tsx';

interface Props {
  /** Id of the command, which gives the label, the shortcut and whether it is enabled. */
  readonly id: string;
  readonly testId?: string;
}

interface WordsProps extends Props, Pick<ButtonProps, 'kind' | 'autoFocus'> {
  readonly icon?: ReactNode;
  /** Whether the button also shows the shortcut. */
  readonly hasKey?: boolean;
  /** Called before the command runs, for example to close a dialog. */
  readonly before?: () => void;
}

/** A button with a text label that runs a command. */
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

/** An icon button that runs a command. */
export function CommandIconButton({ id, icon, ...props }: Props & { readonly icon: ReactNode }) {
  const { tip, shortcut, isEnabled, run } = useCommand(id);
  return <IconButton {...props} label={tip} shortcut={shortcut} icon={icon} onPress={run} isDisabled={!isEnabled} />;
}
