import { formatCount, formatMoney, type Migration, type Release } from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { ceilToCents, parseUsd } from '../../format/values.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { TextInput } from '../../parts/text-input.tsx';

interface RoundDialogProps {
  readonly migration: Migration;
  readonly release: Release | null;
  readonly onClose: () => void;
}

/** Asks what a round may cost, and how many deleted objects it may remove. */
export function RoundDialog({ migration, release, onClose }: RoundDialogProps) {
  const { migrationId, source, quote, progress } = migration;
  const [maxTotalUsd, setMaxTotalUsd] = useState(ceilToCents(quote.totalUsd).toFixed(2));
  const [removeAtMost, setRemoveAtMost] = useState('0');
  const client = useQueryClient();
  const request = readRequest(maxTotalUsd, removeAtMost);
  const start = useChange(
    (api) => api.migrations.startRound(migrationId, request ?? assertNever()),
    {
      onSuccess: async (state) => {
        client.setQueryData([...KEYS.migration, migrationId], state);
        await client.invalidateQueries({ queryKey: [...KEYS.release, migrationId] });
        onClose();
      },
    },
  );
  const expected = release?.differences.total ?? progress.objectsFailed;
  return (
    <ConfirmDialog
      title={`Start another round of ${source.bucket}?`}
      confirmLabel="Start the round"
      change={start}
      isBlocked={request === undefined}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      <p>
        The source is listed again, and what is new, changed or failed is copied
        {expected > 0 ? `: ${formatCount(expected, 'object')} as far as is known` : ''}. What is as
        it was when it was copied is left alone. The first copy cost {formatMoney(quote.totalUsd)}.
      </p>
      <TextInput
        label="At most, in USD"
        name="maxTotalUsd"
        value={maxTotalUsd}
        onChange={setMaxTotalUsd}
        hint="Nothing is copied if it would cost more."
        isRequired
      />
      <TextInput
        label="Maximum number of deleted objects to remove at the target"
        name="removeAtMost"
        value={removeAtMost}
        onChange={setRemoveAtMost}
        hint="If more copied objects than this were deleted at the source, none are removed at the target. 0: keep all. Objects of a released source are never removed."
        isRequired
      />
    </ConfirmDialog>
  );
}

/** Undefined: one of the two is no such number. */
function readRequest(limit: string, removeAtMost: string) {
  const maxTotalUsd = parseUsd(limit);
  if (maxTotalUsd === undefined || !/^\d{1,9}$/.test(removeAtMost)) return undefined;
  return { maxTotalUsd, removeAtMost: Number(removeAtMost) };
}

function assertNever(): never {
  throw new Error('the button is blocked without a request');
}
