import {
  formatBytes,
  formatCount,
  formatMoney,
  type Place,
  type Provider,
  type RelocationEstimate,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { usePlaceTitle, useProviderQueries, useProviderTitle } from '../../data/providers.ts';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { useRelocationQueries } from '../../data/relocations.ts';
import { ceilToCents } from '../../format/values.ts';
import { Choice } from '../../parts/choice.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { QuoteTable } from '../../parts/quote-table.tsx';

interface RelocateDialogProps {
  readonly from: Place;
  /** Whose current places it may be moved to; the first is preset. */
  readonly targets: readonly [Provider, ...Provider[]];
  readonly onClose: () => void;
}

/** What moving the files of a place costs and does, before it is started. */
export function RelocateDialog({ from, targets, onClose }: RelocateDialogProps) {
  const [, navigate] = useLocation();
  const providerTitle = useProviderTitle();
  const { data: stores } = useQuery(useProviderQueries().providers);
  const [to, setTo] = useState<Provider>(targets[0]);
  const request = { from, to };
  const estimate = useQuery(useRelocationQueries().estimate(request));
  const { files = 0, quote } = estimate.data ?? {};
  const start = useChange(
    (api, maxTotalUsd: number) => api.relocations.start({ ...request, maxTotalUsd }),
    {
      onSuccess: ({ relocationId }) => navigate(`/migrations/relocations/${relocationId}`),
      // A refusal may say that the estimate is out of date.
      staleAnyway: [KEYS.relocations],
    },
  );
  const bucketOf = (provider: Provider) =>
    stores?.items.find((store) => store.provider === provider)?.bucketName ?? '';
  return (
    <ConfirmDialog
      title={`Move the files of ${from.bucketName}?`}
      confirmLabel={files > 0 ? `Move ${formatCount(files, 'file')}` : 'Move the files'}
      change={start}
      isBlocked={quote === undefined || files === 0 || estimate.isFetching}
      onConfirm={() => {
        if (quote) start.mutate(ceilToCents(quote.totalUsd));
      }}
      onClose={onClose}
    >
      <Choice
        label="To"
        value={to}
        options={targets.map((value) => ({
          value,
          title: `${bucketOf(value)} (${providerTitle(value)})`,
        }))}
        onChange={(provider) => {
          setTo(provider);
          start.reset();
        }}
      />
      <Loaded query={estimate} what="the estimate">
        {(data) => <Estimate from={from} toTitle={providerTitle(to)} estimate={data} />}
      </Loaded>
    </ConfirmDialog>
  );
}

interface EstimateProps {
  readonly from: Place;
  readonly toTitle: string;
  readonly estimate: RelocationEstimate;
}

function Estimate({ from, toTitle, estimate }: EstimateProps) {
  const { files, bytes, quote, monthlyBeforeUsd, monthlyAfterUsd } = estimate;
  const placeTitle = usePlaceTitle();
  if (files === 0)
    return <p>No file can be moved from here now: uploads that are not completed stay.</p>;
  return (
    <>
      <Facts
        facts={[
          ['From', placeTitle(from)],
          ['Moves', `${formatCount(files, 'file')}, ${formatBytes(bytes)}`],
          [
            'Storage a month',
            `${formatMoney(monthlyBeforeUsd)} before, ${formatMoney(monthlyAfterUsd)} after`,
            true,
          ],
        ]}
      />
      <QuoteTable
        caption="The estimate, once, billed by the stores"
        quotes={[{ title: `To ${toTitle}`, quote }]}
      />
      <ul className="sentences">
        <li>
          Nothing is copied if it would cost more than {formatMoney(ceilToCents(quote.totalUsd))}{' '}
          when it starts.
        </li>
        <li>
          Each file is copied and compared, and from then on its link leads to the new place. Links
          go on working; a file that cannot be copied stays where it is.
        </li>
        <li>
          An old object is deleted once no URL to it works. Until then the stores bill both, and the
          bucket and its key are needed.
        </li>
      </ul>
    </>
  );
}
