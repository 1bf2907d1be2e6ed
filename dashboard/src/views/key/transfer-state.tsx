import { formatBytes, formatNumber } from '@storage-routing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useProviderTitle, type ProviderTitle } from '../../data/providers.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Progress } from '../../parts/progress.tsx';
import { discardFile, mayBeRefusedByCors, type Transfer } from './transfer.ts';
import type { useTransfer } from './use-transfer.ts';

interface TransferStateProps {
  readonly upload: ReturnType<typeof useTransfer>;
  readonly transfer: Transfer;
}

/** How far the upload is, how it ended, and what to do then. */
export function TransferState({ upload, transfer }: TransferStateProps) {
  const { begun, status, error } = transfer;
  const providerTitle = useProviderTitle();
  return (
    <div className="transfer">
      <Progress
        label={transfer.request.file.name}
        percent={confirmedPercent(transfer)}
        text={progressText(transfer)}
      />
      <p role="status">{outcomeText(transfer, providerTitle)}</p>
      {status === 'failed' && mayBeRefusedByCors(transfer) ? <CorsNotice /> : null}
      {status === 'failed' ? <ErrorBox error={error} /> : null}
      {begun && status === 'done' ? (
        <p>
          <Link href={`/usage/files/${begun.fileId}`}>
            Why {providerTitle(begun.provider)}, and what each store would cost
          </Link>
        </p>
      ) : null}
      <Actions upload={upload} transfer={transfer} />
    </div>
  );
}

function Actions({ upload, transfer }: TransferStateProps) {
  const client = useQueryClient();
  const discard = useMutation({
    mutationFn: () => discardFile(transfer),
    onSuccess: () => {
      upload.forget();
      void client.invalidateQueries({ queryKey: ['analytics'] });
    },
  });
  const { status, begun } = transfer;
  if (status === 'sending')
    return (
      <div className="actions">
        <ActionButton onPress={upload.cancel}>Cancel</ActionButton>
      </div>
    );
  return (
    <>
      {discard.error ? <ErrorBox error={discard.error} /> : null}
      <div className="actions">
        {status === 'done' ? null : (
          <ActionButton kind="primary" onPress={upload.resume}>
            {begun ? 'Resume' : 'Try again'}
          </ActionButton>
        )}
        {begun ? (
          <ActionButton
            kind="danger"
            isBusy={discard.isPending}
            onPress={() => discard.mutate(undefined)}
          >
            {status === 'done' ? 'Delete the test file' : 'Discard'}
          </ActionButton>
        ) : null}
      </div>
    </>
  );
}

function CorsNotice() {
  return (
    <div className="notice">
      <p className="notice-title">This page could not reach the store</p>
      <p>
        Most often the CORS rules of the bucket do not let pages of{' '}
        <code>{window.location.origin}</code> upload. Test the store: the result says whether they
        do, and has the rule to paste. Then resume.
      </p>
      <Link href="/providers">Test the store</Link>
    </div>
  );
}

function outcomeText({ status, begun }: Transfer, providerTitle: ProviderTitle): string {
  const store = begun && providerTitle(begun.provider);
  switch (status) {
    case 'sending':
      return store === undefined ? 'Asking the service for a store.' : `Sending to ${store}.`;
    case 'cancelled':
      return 'Cancelled. What the store has confirmed is kept until you resume or discard it.';
    case 'failed':
      return 'The upload has stopped.';
    case 'done':
      return `Stored at ${store ?? 'the store'}.`;
  }
}

/** The progress of a single PUT is unknown until its end. */
function confirmedPercent({
  status,
  begun,
  confirmedBytes,
  request: { file },
}: Transfer): number | null {
  if (status === 'done') return 100;
  if (status === 'sending' && begun?.partBytes === undefined) return null;
  return file.size === 0 ? 0 : (confirmedBytes / file.size) * 100;
}

function progressText({ begun, confirmedBytes, request: { file }, status }: Transfer): string {
  const total = formatBytes(file.size);
  if (begun?.partBytes === undefined) return total;
  const count = Math.ceil(file.size / begun.partBytes);
  const confirmed = status === 'done' ? count : Math.floor(confirmedBytes / begun.partBytes);
  const parts = `${formatNumber(confirmed)} of ${formatNumber(count)} parts`;
  return `${parts}, ${formatBytes(confirmedBytes)} of ${total}`;
}
