import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { usePerson } from '../data/account.ts';

interface ActionButtonProps {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  /** While its work is under way, the button keeps the focus and does nothing. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** The accessible name, if the visible words do not distinguish two buttons. */
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
    // Its `isPending` announces a button by its id, also when a dialog has closed over it.
    <Button
      className={`button button-${kind}`}
      type={isBusy ? 'button' : type}
      isDisabled={isDisabled}
      onPress={isBusy ? () => {} : onPress}
      {...(isBusy && { 'aria-disabled': true })}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {children}
    </Button>
  );
}

/**
 * A button whose call changes something: it cannot be pressed by a person whose role only reads.
 */
export function ChangeButton({ isDisabled = false, ...props }: ActionButtonProps) {
  const person = usePerson();
  return <ActionButton {...props} isDisabled={isDisabled || person?.mayChange === false} />;
}
