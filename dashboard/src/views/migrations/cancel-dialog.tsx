import { formatCount, type Migration } from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';

interface CancelDialogProps {
  readonly migration: Migration;
  readonly onClose: () => void;
}

export function CancelDialog({ migration, onClose }: CancelDialogProps) {
  const { migrationId, progress, source } = migration;
  const client = useQueryClient();
  const cancel = useChange((api) => api.migrations.cancel(migrationId), {
    onSuccess: (state) => client.setQueryData([...KEYS.migration, migrationId], state),
  });
  return (
    <ConfirmDialog
      title={`Cancel the migration of ${source.bucket}?`}
      confirmLabel="Stop copying"
      cancelLabel="Keep copying"
      change={cancel}
      onConfirm={() => cancel.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        It stops at once. Copies in flight are aborted, and what they have read so far is paid for
        in vain. The {formatCount(progress.objectsCopied, 'object')} that{' '}
        {progress.objectsCopied === 1 ? 'is' : 'are'} copied stay at the target; the source is not
        changed.
      </p>
      <p>A round copies what is left later, for at most what you say then.</p>
    </ConfirmDialog>
  );
}
