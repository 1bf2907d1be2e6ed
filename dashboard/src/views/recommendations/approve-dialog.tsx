import {
  formatBytes,
  formatCount,
  formatMoney,
  type ListedRecommendation,
  type PlacementOption,
  type Provider,
  type ProviderInfo,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { useProviderQueries, useProviderTitle } from '../../data/providers.ts';
import { recommendationKeys, useRecommendationQueries } from '../../data/recommendations.ts';
import { useSource } from '../../data/scans.ts';
import { formatSelector, refusal } from '../../format/recommendations.ts';
import { Facts, type Fact } from '../../parts/facts.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { TextInput } from '../../parts/text-input.tsx';
import { useSession } from '../../session/use-session.ts';
import { useIsConfigured, useOptionTitle } from './use-options.ts';

interface ApproveDialogProps {
  readonly recommendation: ListedRecommendation;
  readonly onClose: () => void;
}

/** What will be copied from where to where, what it costs, and who approves it. */
export function ApproveDialog({ recommendation, onClose }: ApproveDialogProps) {
  const { bucket, options, recommendationId, recommendedProvider } = recommendation;
  const [, navigate] = useLocation();
  const isConfigured = useIsConfigured(recommendation);
  const [chosen, setChosen] = useState<Provider | undefined>();
  const choices = options.filter((option) => !refusal(option));
  const preferred = choices.toSorted(
    (a, b) =>
      Number(b.provider === recommendedProvider) - Number(a.provider === recommendedProvider),
  );
  const target =
    choices.find(({ provider }) => provider === chosen) ??
    preferred.find(({ provider }) => isConfigured(provider));
  const store = useStore(target?.provider);
  const [place, setPlace] = useState<Partial<Place>>({});
  const usual: Place = { bucketName: store?.bucketName ?? '', keyPrefix: `${bucket}/` };
  const chosenPlace = { ...usual, ...place };
  const approve = useChange(
    (api, targetProvider: Provider) =>
      api.migrations.approve(recommendationId, {
        targetProvider,
        ...(isEqual(chosenPlace, usual) ? {} : { target: chosenPlace }),
      }),
    {
      onSuccess: ({ migrationId }) => navigate(`/migrations/${migrationId}`),
      // A refusal may be news about it, too.
      staleAnyway: [...recommendationKeys(recommendation), KEYS.migrations],
    },
  );
  return (
    <ConfirmDialog
      title={`Approve the move of ${bucket}?`}
      confirmLabel="Approve and copy"
      typedName={bucket}
      change={approve}
      isBlocked={target === undefined || chosenPlace.bucketName === ''}
      onConfirm={() => {
        if (target) approve.mutate(target.provider);
      }}
      onClose={onClose}
    >
      <Targets
        options={options}
        chosen={target?.provider}
        isConfigured={isConfigured}
        onChoose={(provider) => {
          setChosen(provider);
          setPlace({});
        }}
      />
      {target ? (
        <PlaceFields
          recommendationId={recommendationId}
          place={chosenPlace}
          onChange={(change) => setPlace({ ...place, ...change })}
        />
      ) : null}
      <Summary recommendation={recommendation} target={target} place={chosenPlace} />
    </ConfirmDialog>
  );
}

/** Where the copies go at the target. */
interface Place {
  readonly bucketName: string;
  readonly keyPrefix: string;
}

function isEqual(a: Place, b: Place): boolean {
  return a.bucketName === b.bucketName && a.keyPrefix === b.keyPrefix;
}

function useStore(provider: Provider | undefined): ProviderInfo | undefined {
  const { data } = useQuery(useProviderQueries().providers);
  return data?.items.find((item) => item.provider === provider);
}

interface PlaceFieldsProps {
  readonly recommendationId: string;
  readonly place: Place;
  readonly onChange: (change: Partial<Place>) => void;
}

/** The bucket and the beginning of the keys, with the resulting key of one real object. */
function PlaceFields({ recommendationId, place, onChange }: PlaceFieldsProps) {
  const { data: example } = useQuery(useRecommendationQueries().exampleKey(recommendationId));
  const key = example?.key ?? null;
  return (
    <>
      <TextInput
        label="Bucket at the target"
        name="target/bucketName"
        value={place.bucketName}
        onChange={(bucketName) => onChange({ bucketName })}
        isRequired
      />
      <TextInput
        label="Keys begin with"
        name="target/keyPrefix"
        hint={
          key === null
            ? 'Empty keeps the keys of the source.'
            : `${key} becomes ${place.keyPrefix}${key}`
        }
        value={place.keyPrefix}
        onChange={(keyPrefix) => onChange({ keyPrefix })}
      />
    </>
  );
}

interface TargetsProps {
  readonly options: readonly PlacementOption[];
  readonly chosen: Provider | undefined;
  readonly isConfigured: (provider: Provider) => boolean;
  readonly onChoose: (provider: Provider) => void;
}

/**
 * The stores to copy to. Those without credentials, and those that refuse such a use, cannot be
 * chosen.
 */
function Targets({ options, chosen, isConfigured, onChoose }: TargetsProps) {
  const optionTitle = useOptionTitle();
  return (
    <fieldset className="choices">
      <legend>Copy to</legend>
      {options.map((option) => {
        const refused = refusal(option);
        if (refused)
          return (
            <p key={option.provider}>
              {optionTitle(option)} cannot be chosen: {refused.message}
            </p>
          );
        if (!isConfigured(option.provider))
          return (
            <p key={option.provider}>
              {optionTitle(option)} is not configured. <Link href="/providers">Add it</Link>
            </p>
          );
        return (
          <label key={option.provider}>
            <input
              type="radio"
              name="target"
              value={option.provider}
              checked={option.provider === chosen}
              onChange={() => onChoose(option.provider)}
            />
            <span>
              {optionTitle(option)}: {formatMoney(option.quote.totalUsd)} once, saves{' '}
              {formatMoney(option.monthlySavingsUsd)} a month
              {option.blockers.map(({ code, message }) => (
                <span key={code} className="quiet small">
                  {message}
                </span>
              ))}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

interface SummaryProps {
  readonly recommendation: ListedRecommendation;
  readonly target: PlacementOption | undefined;
  readonly place: Place;
}

function Summary({ recommendation, target, place }: SummaryProps) {
  const { bucket, region, selector, objects, bytes } = recommendation;
  const providerTitle = useProviderTitle();
  const { user } = useSession().state;
  const { data } = useQuery(useProviderQueries().providers);
  const source = useSource(recommendation);
  const sourceTitle = source === undefined ? undefined : providerTitle(source);
  if (!target)
    return <p>No store that can be chosen is configured, so nothing can be copied yet.</p>;
  const from = [sourceTitle, region].filter((part) => part !== undefined).join(', ');
  const facts: readonly Fact[] = [
    ['Copies', `${formatCount(objects, 'object')}, ${formatBytes(bytes)}`],
    ['From', `${bucket} (${from}): ${formatSelector(selector)}`],
    ['To', `${place.bucketName} (${providerTitle(target.provider)})`],
    ['Costs once', `${formatMoney(target.quote.totalUsd)}, billed by the stores`],
    ['Approved by', user ? personText(user) : ''],
  ];
  return (
    <>
      <Facts facts={facts} />
      <p>
        If the copy would cost over 10 % more than this, it stops before the first object. The
        source is not changed.
      </p>
      {data && source !== undefined && !data.items.some(({ provider }) => provider === source) ? (
        <p>
          The objects are read with the stored key of {sourceTitle}, which is not there yet:{' '}
          <Link href="/providers">add it first</Link>.
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
