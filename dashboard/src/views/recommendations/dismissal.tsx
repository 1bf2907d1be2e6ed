import type { ListedRecommendation } from '@storage-routing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.ts';
import { KEYS } from '../../data/keys.ts';
import { formatDate } from '../../format/values.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { TextInput } from '../../parts/text-input.tsx';

const PERIODS = [
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: '365', title: 'A year' },
] as const;

function useChanged({ recommendationId, scanId }: ListedRecommendation) {
  const client = useQueryClient();
  return async () => {
    const changed = [
      [...KEYS.recommendation, recommendationId],
      [...KEYS.scan, scanId],
      KEYS.recommendations,
    ];
    await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

interface DismissDialogProps {
  readonly recommendation: ListedRecommendation;
  readonly onClose: () => void;
}

/** Asks for how long it is not to be shown, and why. */
export function DismissDialog({ recommendation, onClose }: DismissDialogProps) {
  const call = useApi();
  const changed = useChanged(recommendation);
  const [days, setDays] = useState<(typeof PERIODS)[number]['value']>('90');
  const [reason, setReason] = useState('');
  const dismiss = useMutation({
    mutationFn: () =>
      call((api) =>
        api.scanner.dismiss(recommendation.recommendationId, {
          days: Number(days),
          reason: reason.trim(),
        }),
      ),
    onSettled: changed,
  });
  return (
    <ConfirmDialog
      title="Dismiss this recommendation?"
      confirmLabel="Dismiss"
      isBusy={dismiss.isPending}
      isBlocked={reason.trim() === ''}
      error={dismiss.error}
      onConfirm={() => dismiss.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>It is not shown for this time, also if a new audit finds it again. It can be restored.</p>
      <Choice label="For" value={days} options={PERIODS} onChange={setDays} />
      <TextInput
        label="Why"
        hint="For those who read it later."
        value={reason}
        onChange={setReason}
        isRequired
      />
    </ConfirmDialog>
  );
}

/** Who has dismissed it until when, and why. Nothing if it is not dismissed. */
export function Dismissal({ recommendation }: { readonly recommendation: ListedRecommendation }) {
  const { dismissed, recommendationId } = recommendation;
  const call = useApi();
  const changed = useChanged(recommendation);
  const restore = useMutation({
    mutationFn: () => call((api) => api.scanner.restore(recommendationId)),
    onSettled: changed,
  });
  if (!dismissed) return null;
  return (
    <div className="notice">
      <p>
        {dismissed.byName} dismissed it until {formatDate(dismissed.until)}: {dismissed.reason}
      </p>
      <ChangeButton isBusy={restore.isPending} onPress={() => restore.mutate()}>
        Show it again
      </ChangeButton>
      {restore.error ? <ErrorBox error={restore.error} /> : null}
    </div>
  );
}
