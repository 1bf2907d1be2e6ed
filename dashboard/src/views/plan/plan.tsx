import { formatCount, formatPercent, type Me } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useAccountQueries } from '../../data/account.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { formatGb, formatMonth } from '../../format/values.ts';
import { readQuotas, type Quota } from '../../format/plan.ts';
import { formatCode } from '../../format/code.ts';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Purchase } from './purchase.tsx';

/** What the account has, what it uses of it, and where more is bought. */
export function Plan() {
  const account = useQuery(useAccountQueries().account);
  const [search] = useSearchParams();
  return (
    <Page title="Plan">
      <CheckoutNotice checkout={search.get('checkout')} />
      <Loaded query={account} what="your plan">
        {(me) => (
          <>
            <CurrentPlan me={me} />
            <Usage me={me} />
          </>
        )}
      </Loaded>
      <Purchase plan={account.data?.plan} />
    </Page>
  );
}

/** The page of the payment service leads back here. */
function CheckoutNotice({ checkout }: { readonly checkout: string | null }) {
  if (checkout === 'done')
    return (
      <div className="notice" role="status">
        <p className="notice-title">Your order was accepted</p>
        <p>
          The plan changes as soon as the payment service confirms it, mostly within seconds. This
          page shows it by itself.
        </p>
      </div>
    );
  if (checkout === 'cancelled')
    return (
      <div className="notice" role="status">
        <p className="notice-title">Nothing was bought</p>
        <p>You left the checkout before its end. Your plan stays as it is.</p>
      </div>
    );
  return null;
}

function CurrentPlan({ me }: { readonly me: Me }) {
  const providerTitle = useProviderTitle();
  return (
    <Card title="Your plan">
      <Facts
        facts={[
          ['Plan', <strong>{formatCode(me.plan)}</strong>],
          [
            'Stores',
            me.providers.length === 0 ? (
              <Link href="/providers">Add the first one</Link>
            ) : (
              me.providers.map(providerTitle).join(', ')
            ),
          ],
          ['API keys', formatCode(me.keyMode)],
          ['Account', <code>{me.accountId}</code>],
        ]}
      />
    </Card>
  );
}

function Usage({ me }: { readonly me: Me }) {
  const { usage } = me;
  const quotas = readQuotas(me);
  return (
    <Card title={`Used in ${formatMonth(usage.period)}`}>
      {quotas.map((quota) => (
        <QuotaUse key={quota.title} quota={quota} />
      ))}
      <p className="quiet">
        Uploads under way count until they are completed, expire or are deleted. Completed:{' '}
        {formatGb(usage.gbRouted)} in {formatCount(usage.uploads, 'upload')}. The month is a UTC
        month.
      </p>
      {quotas.some(({ isNear }) => isNear) ? (
        <div className="notice">
          <p className="notice-title">A limit of your plan is near</p>
          <p>At the limit, new uploads are refused until the next month or a larger plan.</p>
        </div>
      ) : null}
    </Card>
  );
}

function QuotaUse({ quota: { title, used, limit, share } }: { readonly quota: Quota }) {
  if (share === undefined || limit === undefined)
    return (
      <p>
        {title}: {used}, unlimited
      </p>
    );
  return (
    <Progress
      label={title}
      percent={Math.min(100, share * 100)}
      text={`${used} of ${limit}, ${formatPercent(share)}`}
    />
  );
}
