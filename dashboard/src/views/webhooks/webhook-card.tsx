import type { Webhook, WebhookDelivery } from '@storage-routing/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/api.ts';
import { KEYS } from '../../data/keys.ts';
import { useWebhookQueries } from '../../data/webhooks.ts';
import { formatLastAttempt, formatEvent } from '../../format/webhooks.ts';
import { formatCode } from '../../format/code.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { textColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'Event', cell: ({ type, eventId }) => <span title={eventId}>{formatEvent(type)}</span> },
  { title: 'When', cell: ({ createdAt }) => <Time iso={createdAt} /> },
  textColumn('Delivery', 'status', formatCode),
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { title: 'Last answer', cell: formatLastAttempt },
  {
    title: 'Next attempt',
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? '–' : <Time iso={nextAttemptAt} />),
  },
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
  const call = useApi();
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: KEYS.webhooks });
  return {
    test: useMutation({
      mutationFn: () => call((api) => api.webhooks.test(webhookId)),
      onSettled,
    }),
    enable: useMutation({
      mutationFn: () => call((api) => api.webhooks.enable(webhookId)),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: () => call((api) => api.webhooks.remove(webhookId)),
      // The deliveries of a removed webhook are no longer fetched.
      onSuccess: () =>
        client.setQueryData<{ items: Webhook[] }>(KEYS.webhooks, (list) => ({
          items: list?.items.filter((each) => each.webhookId !== webhookId) ?? [],
        })),
    }),
    rotate: useMutation({
      mutationFn: async () => (await call((api) => api.webhooks.rotate(webhookId))).secret,
      // Results are kept by the cache; a secret is not.
      gcTime: 0,
    }),
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
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() =>
        rotate.mutate(undefined, {
          onSuccess: (secret) => {
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
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <code>{webhook.url}</code> will receive no more events. Pending deliveries are dropped.
      </p>
    </ConfirmDialog>
  );
}
