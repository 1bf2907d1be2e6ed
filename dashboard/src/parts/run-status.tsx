import type { Relocation } from '@storage-routing/client';
import { useState, type ReactNode } from 'react';
import type { Advice } from '../format/error-messages.ts';
import { ChangeButton } from './action-button.tsx';
import { Card } from './card.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Stop } from './stop.tsx';

interface RunStatusProps {
  /** Such as `relocation`. */
  readonly what: string;
  /** The bucket that it reads. */
  readonly bucketName: string;
  readonly status: string;
  readonly meaning: string;
  readonly error: Relocation['error'];
  readonly adviceOf: (code: string) => Advice;
  /** A cancel has an effect. */
  readonly isRunning: boolean;
  readonly cancel: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: unknown;
    mutate(): void;
  };
  /** Said between the cancel and the end. */
  readonly stopping: string;
  readonly stopLabel: string;
  readonly keepLabel: string;
  /** What a cancel does. */
  readonly children: ReactNode;
}

/** What a run does or has come to, why it stopped, and its cancel. */
export function RunStatus(props: RunStatusProps) {
  const { what, bucketName, status, meaning, error, isRunning, cancel } = props;
  const [isCancelling, setCancelling] = useState(false);
  const canCancel = isRunning && !cancel.isSuccess;
  return (
    <Card title={bucketName} aside={<StatusBadge status={status} />}>
      <p role="status">{isRunning && cancel.isSuccess ? props.stopping : meaning}</p>
      {error ? <Stop error={error} advice={props.adviceOf(error.code)} /> : null}
      {canCancel ? (
        <div className="actions">
          <ChangeButton kind="danger" onPress={() => setCancelling(true)}>
            Cancel the {what}
          </ChangeButton>
        </div>
      ) : null}
      {/* If it ends meanwhile, a cancel has no effect, and the dialog closes. */}
      {canCancel && isCancelling ? (
        <ConfirmDialog
          title={`Cancel the ${what} of ${bucketName}?`}
          confirmLabel={props.stopLabel}
          cancelLabel={props.keepLabel}
          change={cancel}
          onConfirm={() => cancel.mutate()}
          onClose={() => setCancelling(false)}
        >
          {props.children}
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}
