import {
  PAID_PLANS,
  type Me,
  type StorageRoutingClient,
  type Subscription,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../data/query.ts';
import { useAccountQueries } from '../../data/account.ts';
import { describePayment } from '../../format/plan.ts';
import { formatCode } from '../../format/code.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Badge } from '../../parts/status-badge.tsx';

/** Undefined: the plan is not known yet. */
export function Purchase({ plan }: { readonly plan: Me['plan'] | undefined }) {
  const config = useQuery(useAccountQueries().config);
  return (
    <Card title="Buy or change">
      <Loaded query={config} what="what can be bought">
        {({ billing }) =>
          billing ? (
            <>
              <Payment />
              <PurchaseActions plan={plan} />
            </>
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

/** Whether the subscription is paid, if there is one. */
function Payment() {
  const subscription = useQuery(useAccountQueries().subscription);
  return (
    <Loaded query={subscription} what="the state of your payment">
      {(answer) => (answer.subscription ? <PaymentState {...answer.subscription} /> : null)}
    </Loaded>
  );
}

function PaymentState({ status, plan }: Subscription) {
  const { tone, title, advice } = describePayment(status);
  return (
    <div role="status">
      <p>
        <strong>{plan ? `Subscription to ${formatCode(plan)}` : 'Subscription'}</strong>{' '}
        <Badge tone={tone}>{title}</Badge>
      </p>
      <p>{advice}</p>
    </div>
  );
}

function PurchaseActions({ plan }: { readonly plan: Me['plan'] | undefined }) {
  const leave = useChange(
    (api, open: (api: StorageRoutingClient) => Promise<{ url: string }>) => open(api),
    { onSuccess: ({ url }) => window.location.assign(url) },
  );
  return (
    <>
      <p>
        Opens the page of the payment service, which shows the price before anything is bought. With
        a subscription, that page changes it.
      </p>
      <div className="actions">
        {PAID_PLANS.filter((paid) => paid !== plan).map((paid) => (
          <ChangeButton
            key={paid}
            kind="primary"
            isBusy={leave.isPending}
            onPress={() => leave.mutate((api) => api.billing.checkout({ plan: paid }))}
          >
            Get {formatCode(paid)}
          </ChangeButton>
        ))}
        <ChangeButton
          isBusy={leave.isPending}
          onPress={() => leave.mutate((api) => api.billing.portal())}
        >
          Subscription and invoices
        </ChangeButton>
      </div>
      {leave.error ? <ErrorBox error={leave.error} /> : null}
    </>
  );
}
