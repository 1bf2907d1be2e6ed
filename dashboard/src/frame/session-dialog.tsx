import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { ActionButton } from '../parts/action-button.tsx';
import { useSession } from '../session/use-session.ts';

/** Over the page, which stays as it is: what is in a form is not lost. */
export function SessionDialog() {
  const { session, state } = useSession();
  return (
    <ModalOverlay className="overlay" isOpen={state.status === 'ended'} isKeyboardDismissDisabled>
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <Heading slot="title">Your session has ended</Heading>
          <p>
            Log in again in a small window. This page stays as it is, and goes on where it stopped.
          </p>
          {state.problem === undefined ? null : (
            <p role="alert" className="field-error">
              The login did not succeed: {state.problem}
            </p>
          )}
          <div className="actions">
            <ActionButton kind="primary" onPress={() => void session.logInByPopup()}>
              Log in again
            </ActionButton>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
