import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';

interface ActionButtonProps {
  readonly kind?: 'primary' | 'plain' | 'danger';
  readonly type?: 'button' | 'submit';
  /** While its work is under way, the button keeps the focus and does nothing. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** Where the visible words do not tell two buttons apart. */
  readonly label?: string | undefined;
  readonly onPress?: () => void;
  readonly children: ReactNode;
}

export function ActionButton({
  kind = 'plain',
  type = 'button',
  isBusy = false,
  isDisabled = false,
  label,
  onPress = () => {},
  children,
}: ActionButtonProps) {
  return (
    <Button
      className={`button button-${kind}`}
      // The library's own pending state announces the button by its id, also where it has gone meanwhile.
      type={isBusy ? 'button' : type}
      aria-disabled={isBusy}
      isDisabled={isDisabled}
      onPress={isBusy ? () => {} : onPress}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </Button>
  );
}
