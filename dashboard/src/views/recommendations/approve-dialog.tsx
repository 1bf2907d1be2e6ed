import type {
  ListedRecommendation,
  PlacementOption,
  Provider,
  Recommendation,
} from '@storage-routing/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useApi } from '../../data/api.ts';
import { KEYS } from '../../data/keys.ts';
import { SOURCE_PROVIDER, useProviderQueries, useProviderTitle } from '../../data/providers.ts';
import { formatBytes, formatUsd, formatCounted } from '../../format/values.ts';
import { formatSelector } from '../../format/recommendations.ts';
import { Facts, type Fact } from '../../parts/facts.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useSession } from '../../session/use-session.ts';
import { useIsConfigured, useOptionTitle } from './use-options.ts';

interface ApproveDialogProps {
  readonly recommendation: ListedRecommendation;
  readonly onClose: () => void;
}

/** What will be copied from where to where, what it costs, and who approves it. */
export function ApproveDialog({ recommendation, onClose }: ApproveDialogProps) {
  const { bucket, options, recommendationId, recommendedProvider, scanId } = recommendation;
  const call = useApi();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const isConfigured = useIsConfigured(recommendation);
  const [chosen, setChosen] = useState<Provider | undefined>();
  const preferred = options.toSorted(
    (a, b) =>
      Number(b.provider === recommendedProvider) - Number(a.provider === recommendedProvider),
  );
  const target =
    options.find(({ provider }) => provider === chosen) ??
    preferred.find(({ provider }) => isConfigured(provider));
  const approve = useMutation({
    mutationFn: (targetProvider: Provider) =>
      call((api) => api.migrations.approve(recommendationId, { targetProvider })),
    onSuccess: ({ migrationId }) => navigate(`/migrations/${migrationId}`),
    // A refusal may be news about it, too.
    onSettled: async () => {
      const changed = [
        [...KEYS.recommendation, recommendationId],
        [...KEYS.scan, scanId],
        KEYS.recommendations,
        KEYS.migrations,
      ];
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmDialog
      title={`Approve the move of ${bucket}?`}
      confirmLabel="Approve and copy"
      typedName={bucket}
      isBusy={approve.isPending}
      error={approve.error}
      isBlocked={target === undefined}
      onConfirm={() => {
        if (target) approve.mutate(target.provider);
      }}
      onClose={onClose}
    >
      <Targets
        options={options}
        chosen={target?.provider}
        isConfigured={isConfigured}
        onChoose={setChosen}
      />
      <Summary recommendation={recommendation} target={target} />
    </ConfirmDialog>
  );
}

interface TargetsProps {
  readonly options: readonly PlacementOption[];
  readonly chosen: Provider | undefined;
  readonly isConfigured: (provider: Provider) => boolean;
  readonly onChoose: (provider: Provider) => void;
}

/** The stores to copy to. Those without credentials cannot be chosen. */
function Targets({ options, chosen, isConfigured, onChoose }: TargetsProps) {
  const optionTitle = useOptionTitle();
  return (
    <fieldset className="choices">
      <legend>Copy to</legend>
      {options.map((option) =>
        isConfigured(option.provider) ? (
          <label key={option.provider}>
            <input
              type="radio"
              name="target"
              value={option.provider}
              checked={option.provider === chosen}
              onChange={() => onChoose(option.provider)}
            />
            <span>
              {optionTitle(option)}: {formatUsd(option.quote.totalUsd)} once, saves{' '}
              {formatUsd(option.monthlySavingsUsd)} a month
            </span>
          </label>
        ) : (
          <p key={option.provider}>
            {optionTitle(option)} is not configured. <Link href="/providers">Add it</Link>
          </p>
        ),
      )}
    </fieldset>
  );
}

interface SummaryProps {
  readonly recommendation: Recommendation;
  readonly target: PlacementOption | undefined;
}

function Summary({ recommendation, target }: SummaryProps) {
  const { bucket, region, selector, objects, bytes } = recommendation;
  const providerTitle = useProviderTitle();
  const { user } = useSession().state;
  const { data } = useQuery(useProviderQueries().providers);
  if (!target) return <p>None of these stores is configured, so nothing can be copied yet.</p>;
  const store = data?.items.find(({ provider }) => provider === target.provider);
  const facts: readonly Fact[] = [
    ['Copies', `${formatCounted(objects, 'object')}, ${formatBytes(bytes)}`],
    [
      'From',
      `${bucket} (${providerTitle(SOURCE_PROVIDER)}, ${region}): ${formatSelector(selector)}`,
    ],
    [
      'To',
      `${store?.bucketName ?? 'its bucket'} (${providerTitle(target.provider)}), below ${bucket}/`,
    ],
    ['Costs once', `${formatUsd(target.quote.totalUsd)}, billed by the stores`],
    ['Approved by', user ? personText(user) : ''],
  ];
  return (
    <>
      <Facts facts={facts} />
      <p>
        If the copy would cost over 10 % more than this, it stops before the first object. The
        source is not changed.
      </p>
      {data && !data.items.some(({ provider }) => provider === SOURCE_PROVIDER) ? (
        <p>
          The objects are read with the stored key of {providerTitle(SOURCE_PROVIDER)}, which is not
          there yet: <Link href="/providers">add it first</Link>.
        </p>
      ) : null}
    </>
  );
}

function personText({
  name,
  subject,
}: {
  readonly name: string;
  readonly subject: string;
}): string {
  return name === subject ? name : `${name} (${subject})`;
}
