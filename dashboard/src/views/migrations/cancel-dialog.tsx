import type { Migration } from '@storage-routing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../data/api.ts';
import { KEYS } from '../../data/keys.ts';
import { formatCount } from '../../format/values.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';

interface CancelDialogProps {
  readonly migration: Migration;
  readonly onClose: () => void;
}

export function CancelDialog({ migration, onClose }: CancelDialogProps) {
  const { migrationId, progress, source } = migration;
  const call = useApi();
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call((api) => api.migrations.cancel(migrationId)),
    onSuccess: (state) => client.setQueryData([...KEYS.migration, migrationId], state),
  });
  return (
    <ConfirmDialog
      title={`Cancel the migration of ${source.bucket}?`}
      confirmLabel="Stop copying"
      cancelLabel="Keep copying"
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        It stops after the objects in flight. The {formatCount(progress.objectsCopied)} objects that
        are copied stay at the target, and the source is as it was. It cannot be continued: a new
        audit recommends what is left.
      </p>
    </ConfirmDialog>
  );
}
