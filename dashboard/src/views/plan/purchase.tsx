import type { Me, StorageRoutingClient } from '@storage-routing/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useAccountQueries } from '../../data/account-queries.ts';
import { useApi } from '../../data/api.ts';
import { PLAN_TITLES } from '../../format/quotas.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Loaded } from '../../parts/loaded.tsx';

const PAID = ['starter', 'growth'] as const;

/** Subscriptions as the payment service names them, and what each does to the plan (docs/billing.md). */
const PAYMENT_STATES = [
  {
    state: 'Paid, or in its trial',
    effect: 'The plan is yours.',
    action: 'Nothing.',
  },
  {
    state: 'Payment is late',
    effect: 'The plan stays for now; the payment service tries again.',
    action: 'Open the subscription and check the card.',
  },
  {
    state: 'Unpaid or paused',
    effect: 'The plan is suspended.',
    action: 'Open the subscription and pay what is due.',
  },
  {
    state: 'First payment not finished',
    effect: 'The plan has not begun.',
    action: 'Buy it again; the open checkout ends by itself.',
  },
  {
    state: 'Cancelled or ended',
    effect: 'You are back on the plan you had without it. Stores, files and running work stay.',
    action: 'Buy a plan where you need one again.',
  },
] as const;

/** Undefined: the plan is not known yet. */
export function Purchase({ plan }: { readonly plan: Me['plan'] | undefined }) {
  const config = useQuery(useAccountQueries().config);
  return (
    <Card title="Buy or change">
      <Loaded query={config} what="what can be bought">
        {({ billing }) =>
          billing ? (
            <Shop plan={plan} />
          ) : (
            <Empty>
              <p>
                Plans cannot be bought here: the operator of this service has not configured
                billing. Ask the operator for another plan.
              </p>
            </Empty>
          )
        }
      </Loaded>
    </Card>
  );
}

function Shop({ plan }: { readonly plan: Me['plan'] | undefined }) {
  const call = useApi();
  const leave = useMutation({
    mutationFn: (open: (api: StorageRoutingClient) => Promise<{ url: string }>) => call(open),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <>
      <p>
        Opens the page of the payment service, which shows the price before anything is bought. With
        a subscription, that page changes it.
      </p>
      <div className="actions">
        {PAID.filter((paid) => paid !== plan).map((paid) => (
          <ActionButton
            key={paid}
            kind="primary"
            isBusy={leave.isPending}
            onPress={() => leave.mutate((api) => api.billing.checkout({ plan: paid }))}
          >
            Get {PLAN_TITLES[paid]}
          </ActionButton>
        ))}
        <ActionButton
          isBusy={leave.isPending}
          onPress={() => leave.mutate((api) => api.billing.portal())}
        >
          Subscription and invoices
        </ActionButton>
      </div>
      {leave.error ? <ErrorBox error={leave.error} /> : null}
      <DataTable
        caption="What the state of a payment means for your plan"
        rows={PAYMENT_STATES}
        keyOf={({ state }) => state}
        columns={[
          { title: 'Payment', cell: ({ state }) => state },
          { title: 'Your plan', cell: ({ effect }) => effect },
          { title: 'What to do', cell: ({ action }) => action },
        ]}
      />
    </>
  );
}
