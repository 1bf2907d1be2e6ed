import type { Provider, ProviderDescription, ProviderInfo } from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { placeOf, useProviderQueries } from '../../data/providers.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Time } from '../../parts/time.tsx';
import { placeFacts } from './draft.ts';
import { FormerPlaces } from './former-places.tsx';
import { ProviderForm } from './provider-form.tsx';
import { RelocateDialog } from './relocate-dialog.tsx';
import { TestResult } from './test-result.tsx';

interface ProviderCardProps {
  readonly info: ProviderInfo;
  readonly store: ProviderDescription;
  /** The other stores of the account. */
  readonly others: readonly Provider[];
  /** It was saved a moment ago: it is tested at once. */
  readonly isNew: boolean;
}

/** One store, and what can be done with it. */
export function ProviderCard({ info, store, others, isNew }: ProviderCardProps) {
  const { provider, title } = store;
  const client = useQueryClient();
  const { providerTest } = useProviderQueries();
  const [open, setOpen] = useState<'form' | 'move' | 'delete' | undefined>();
  const origin = originToCheck();
  const test = useChange((api) => api.providers.test(provider, { origin }), {
    // The store may have been repaired at the provider.
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: providerTest(provider).queryKey });
      await client.invalidateQueries({ queryKey: KEYS.providers, exact: true });
    },
  });
  const { mutate: runTest } = test;
  useEffect(() => {
    if (isNew) runTest();
  }, [isNew, runTest]);
  const close = () => setOpen(undefined);
  const [target, ...further] = others;
  return (
    <Card title={title}>
      {info.paused ? (
        <div className="notice">
          <p className="notice-title">Paused</p>
          <p>
            Since <Time iso={info.paused.since} /> it refuses what the service does for your files
            there (<code>{info.paused.code}</code>). They wait; one attempt an hour is made. Test
            it, replace the credentials, or permit what the test says is missing.
          </p>
        </div>
      ) : null}
      <Facts
        facts={[
          ...placeFacts(info),
          ['Access key', info.accessKeyIdMasked],
          ['Changed', <Time iso={info.updatedAt} />],
        ]}
      />
      <div className="actions">
        <ChangeButton isBusy={test.isPending} label={`Test ${title}`} onPress={() => test.mutate()}>
          {test.isPending ? 'Testing…' : 'Test'}
        </ChangeButton>
        <ChangeButton label={`Replace credentials of ${title}`} onPress={() => setOpen('form')}>
          Replace credentials
        </ChangeButton>
        {target === undefined ? null : (
          <ChangeButton label={`Move files of ${title}`} onPress={() => setOpen('move')}>
            Move files
          </ChangeButton>
        )}
        <ChangeButton kind="danger" label={`Delete ${title}`} onPress={() => setOpen('delete')}>
          Delete
        </ChangeButton>
      </div>
      {test.error ? <ErrorBox error={test.error} onRetry={() => test.mutate()} /> : null}
      {test.data ? <TestResult result={test.data} origin={origin} /> : null}
      {open === 'form' ? (
        <ProviderForm
          choices={[store]}
          current={info}
          onSaved={() => {
            close();
            test.mutate();
          }}
          onClose={close}
        />
      ) : null}
      {info.formerPlaces.length > 0 ? (
        <FormerPlaces store={store} info={info} others={others} />
      ) : null}
      {open === 'move' && target !== undefined ? (
        <RelocateDialog
          from={placeOf(provider, info)}
          targets={[target, ...further]}
          onClose={close}
        />
      ) : null}
      {open === 'delete' ? <DeleteDialog title={title} info={info} onClose={close} /> : null}
    </Card>
  );
}

/** Undefined: the service checks CORS for pages over TLS, and for a developer's own. */
function originToCheck(): string | undefined {
  const { origin, protocol, hostname } = window.location;
  return protocol === 'https:' || hostname === 'localhost' ? origin : undefined;
}

interface DeleteDialogProps {
  readonly title: string;
  readonly info: ProviderInfo;
  readonly onClose: () => void;
}

function DeleteDialog({ title, info, onClose }: DeleteDialogProps) {
  const remove = useChange((api) => api.providers.delete(info.provider), {
    stale: [KEYS.providers],
  });
  return (
    <ConfirmDialog
      title={`Delete ${title}?`}
      confirmLabel="Delete"
      typedName={info.bucketName}
      change={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        The service forgets the credentials of <strong>{info.bucketName}</strong>
        {info.formerPlaces.length > 0 ? ', and of its former places' : ''}. The bucket and its
        objects stay, but files in it can no longer be downloaded or deleted through the service.
      </p>
    </ConfirmDialog>
  );
}
