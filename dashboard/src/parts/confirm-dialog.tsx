import { useState, type ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { ActionButton } from './action-button.tsx';
import { ErrorBox } from './error-box.tsx';
import { TextInput } from './text-input.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What happens, in full. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  /** For a dialog that confirms a cancel. */
  readonly cancelLabel?: string;
  /** The reader types this name first. Undefined: one button is enough. */
  readonly typedName?: string;
  /** Something else is missing: it cannot be confirmed. */
  readonly isBlocked?: boolean;
  /** What is confirmed: shows that it is under way, and the error of the last attempt. */
  readonly change?: { readonly isPending: boolean; readonly error: unknown };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. Open as long as it is rendered. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirmLabel, typedName, onConfirm, onClose } = props;
  const { isBlocked = false, cancelLabel = 'Cancel' } = props;
  const { isPending: isBusy = false, error } = props.change ?? {};
  const [typed, setTyped] = useState('');
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isKeyboardDismissDisabled={isBusy}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
          {typedName === undefined ? null : (
            <TextInput
              label={`Type ${typedName} to confirm`}
              value={typed}
              onChange={setTyped}
              isRequired
            />
          )}
          {error ? <ErrorBox error={error} /> : null}
          <div className="actions">
            <ActionButton isDisabled={isBusy} onPress={onClose}>
              {cancelLabel}
            </ActionButton>
            <ActionButton
              kind="danger"
              isBusy={isBusy}
              isDisabled={isBlocked || (typedName !== undefined && typed !== typedName)}
              onPress={onConfirm}
            >
              {confirmLabel}
            </ActionButton>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
