import type { Webhook, WebhookDelivery } from '@storage-routing/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { useWebhookQueries } from '../../data/webhooks.ts';
import { formatLastAttempt, formatEvent } from '../../format/webhooks.ts';
import { formatCode } from '../../format/code.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { asTime, textColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'Event', cell: ({ type, eventId }) => <span title={eventId}>{formatEvent(type)}</span> },
  textColumn('When', 'createdAt', asTime),
  textColumn('Delivery', 'status', formatCode),
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { title: 'Last answer', cell: formatLastAttempt },
  textColumn('Next attempt', 'nextAttemptAt', asTime),
];

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly onSecret: (secret: string) => void;
}

/** One webhook, its actions and its latest deliveries. */
export function WebhookCard({ webhook, onSecret }: WebhookCardProps) {
  const { webhookId, url, events, format, createdAt, disabledAt } = webhook;
  const { host } = new URL(url);
  const deliveries = useQuery(useWebhookQueries().deliveries(webhookId));
  const [asked, setAsked] = useState<'rotate' | 'remove' | undefined>();
  const { test, enable } = useActions(webhookId);
  const error = test.error ?? enable.error;
  return (
    <Card title={host}>
      {disabledAt === null ? null : (
        <div className="notice">
          <p className="notice-title">Disabled</p>
          <p>
            No events have been sent since <Time iso={disabledAt} />, because the receiver answered
            410, or nothing could be delivered for five days. See its answers below.
          </p>
        </div>
      )}
      <Facts
        facts={[
          ['Address', url, true],
          ['Events', events.map(formatEvent).join(', '), true],
          ['Format', format === 'slack' ? 'Text for a channel' : 'Signed message'],
          ['Added', <Time iso={createdAt} />],
        ]}
      />
      <div className="actions">
        {disabledAt === null ? null : (
          <ChangeButton
            kind="primary"
            isBusy={enable.isPending}
            label={`Enable ${host}`}
            onPress={() => enable.mutate()}
          >
            Enable
          </ChangeButton>
        )}
        <ChangeButton
          isBusy={test.isPending}
          label={`Send a test to ${host}`}
          onPress={() => test.mutate()}
        >
          Send a test
        </ChangeButton>
        <ChangeButton label={`Replace the secret of ${host}`} onPress={() => setAsked('rotate')}>
          Replace the secret
        </ChangeButton>
        <ChangeButton kind="danger" label={`Remove ${host}`} onPress={() => setAsked('remove')}>
          Remove
        </ChangeButton>
      </div>
      {error ? <ErrorBox error={error} /> : null}
      <Loaded query={deliveries} what="the deliveries">
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">Nothing has been sent yet.</p>
          ) : (
            <DataTable
              caption="The last 100 deliveries, kept for 30 days"
              rows={items}
              rowKey={({ eventId }) => eventId}
              columns={COLUMNS}
            />
          )
        }
      </Loaded>
      {asked === 'rotate' ? (
        <RotateDialog webhook={webhook} onSecret={onSecret} onClose={() => setAsked(undefined)} />
      ) : null}
      {asked === 'remove' ? (
        <RemoveDialog webhook={webhook} onClose={() => setAsked(undefined)} />
      ) : null}
    </Card>
  );
}

function useActions(webhookId: string) {
  const client = useQueryClient();
  const staleAnyway = [KEYS.webhooks];
  return {
    test: useChange((api) => api.webhooks.test(webhookId), { staleAnyway }),
    enable: useChange((api) => api.webhooks.enable(webhookId), { staleAnyway }),
    remove: useChange((api) => api.webhooks.remove(webhookId), {
      // The deliveries of a removed webhook are no longer fetched.
      onSuccess: () =>
        client.setQueryData<{ items: Webhook[] }>(KEYS.webhooks, (list) => ({
          items: list?.items.filter((each) => each.webhookId !== webhookId) ?? [],
        })),
    }),
    rotate: useChange((api) => api.webhooks.rotate(webhookId), { isSecret: true }),
  };
}

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

function RotateDialog({
  webhook,
  onSecret,
  onClose,
}: DialogProps & { readonly onSecret: (secret: string) => void }) {
  const { rotate } = useActions(webhook.webhookId);
  return (
    <ConfirmDialog
      title="Replace the secret?"
      confirmLabel="Replace"
      change={rotate}
      onConfirm={() =>
        rotate.mutate(undefined, {
          onSuccess: ({ secret }) => {
            onSecret(secret);
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      <p>
        Messages are signed with both secrets for 24 hours. Give the new one to your receiver within
        that time. It is shown only once.
      </p>
    </ConfirmDialog>
  );
}

function RemoveDialog({ webhook, onClose }: DialogProps) {
  const { remove } = useActions(webhook.webhookId);
  return (
    <ConfirmDialog
      title="Remove the webhook?"
      confirmLabel="Remove"
      change={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <code>{webhook.url}</code> will receive no more events. Pending deliveries are dropped.
      </p>
    </ConfirmDialog>
  );
}
