import type { ListedRecommendation } from '@storage-routing/client';
import { useState } from 'react';
import { useChange } from '../../data/query.ts';
import { recommendationKeys } from '../../data/recommendations.ts';
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

interface DismissDialogProps {
  readonly recommendation: ListedRecommendation;
  readonly onClose: () => void;
}

/** Asks for how long it is not to be shown, and why. */
export function DismissDialog({ recommendation, onClose }: DismissDialogProps) {
  const [days, setDays] = useState<(typeof PERIODS)[number]['value']>('90');
  const [reason, setReason] = useState('');
  const request = { days: Number(days), reason: reason.trim() };
  const dismiss = useChange(
    (api) => api.scanner.dismiss(recommendation.recommendationId, request),
    { staleAnyway: recommendationKeys(recommendation) },
  );
  return (
    <ConfirmDialog
      title="Dismiss this recommendation?"
      confirmLabel="Dismiss"
      change={dismiss}
      isBlocked={request.reason === ''}
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
  const restore = useChange((api) => api.scanner.restore(recommendationId), {
    staleAnyway: recommendationKeys(recommendation),
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
