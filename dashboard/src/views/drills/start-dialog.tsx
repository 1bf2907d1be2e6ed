import {
  describeRule,
  formatBytes,
  formatCount,
  formatMoney,
  type DrillEstimate,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useDrillQueries } from '../../data/drills.ts';
import { KEYS } from '../../data/keys.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { useChange } from '../../data/query.ts';
import { ceilToCents, parseUsd } from '../../format/values.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';
import { TextInput } from '../../parts/text-input.tsx';
import type { ChosenDrill } from './drill-form.tsx';

interface StartDialogProps {
  readonly chosen: ChosenDrill;
  readonly onScheduled: () => void;
  readonly onClose: () => void;
}

/** What a drill costs and does, before it is started or scheduled. */
export function StartDialog({ chosen, onScheduled, onClose }: StartDialogProps) {
  const { request, rule } = chosen;
  const [, navigate] = useLocation();
  const providerTitle = useProviderTitle();
  const [typed, setTyped] = useState<string | undefined>();
  const estimate = useQuery(useDrillQueries().estimate(request));
  const { files = 0, totalUsd = 0 } = estimate.data ?? {};
  const limit = typed ?? ceilToCents(totalUsd).toFixed(2);
  const maxTotalUsd = parseUsd(limit);
  const start = useChange(
    async (api, most: number) => {
      const drill = { ...request, maxTotalUsd: most };
      if (!rule) return (await api.drills.start(drill)).drillId;
      await api.drills.setSchedule({ ...rule, drill });
      return null;
    },
    {
      onSuccess: (drillId) => (drillId === null ? onScheduled() : navigate(`/drills/${drillId}`)),
      // A refusal may say that the estimate is out of date.
      staleAnyway: [KEYS.drills],
    },
  );
  return (
    <ConfirmDialog
      title={`Try the exit of ${request.from.bucketName}${rule ? ` every ${describeRule(rule)}` : ''}?`}
      confirmLabel={rule ? 'Set the schedule' : 'Start the drill'}
      change={start}
      isBlocked={files === 0 || estimate.isFetching || maxTotalUsd === undefined}
      onConfirm={() => {
        if (maxTotalUsd !== undefined) start.mutate(maxTotalUsd);
      }}
      onClose={onClose}
    >
      <Loaded query={estimate} what="the estimate">
        {(data) =>
          data.files === 0 ? (
            <p>Nothing that can be copied is there.</p>
          ) : (
            <>
              <Estimate toTitle={providerTitle(request.to)} estimate={data} />
              <TextInput
                label="At most, in USD"
                name="maxTotalUsd"
                value={limit}
                onChange={setTyped}
                hint={
                  rule
                    ? 'Holds for each drill. This schedule replaces the one that is set.'
                    : 'Nothing is copied if it would cost more.'
                }
                isRequired
              />
            </>
          )
        }
      </Loaded>
    </ConfirmDialog>
  );
}

interface EstimateProps {
  readonly toTitle: string;
  readonly estimate: DrillEstimate;
}

function Estimate({ toTitle, estimate }: EstimateProps) {
  const { files, bytes, quote, readBackUsd, totalUsd } = estimate;
  return (
    <>
      <QuoteTable
        caption="The estimate of the copies, billed by the stores"
        quotes={[{ title: `To ${toTitle}`, quote }]}
      />
      <Facts
        facts={[
          ['Sample', `${formatCount(files, 'file')}, at most ${formatBytes(bytes)}`],
          ['Reading it back', formatMoney(readBackUsd)],
          ['Costs together, at most', <strong>{formatMoney(totalUsd)}</strong>],
        ]}
      />
      <ul className="sentences">
        <li>
          The sample is copied below <code>drill/</code> at the target, read back with its
          credentials alone and compared. Then all copies are deleted. The source is not changed.
        </li>
        <li>
          The drill measures how long all files would take to move, and says what that would cost
          once and then each month.
        </li>
      </ul>
    </>
  );
}
