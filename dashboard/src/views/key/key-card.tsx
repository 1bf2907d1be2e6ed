import type { ApiKeyInfo, StorageRoutingClient } from '@storage-routing/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountQueries } from '../../data/account.ts';
import { KEYS } from '../../data/keys.ts';
import { useApi } from '../../data/api.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Time } from '../../parts/time.tsx';

/** The two calls that replace a key. The second one issues the first key too. */
const ISSUES = {
  rotate: {
    title: 'Rotate',
    issue: async (api: StorageRoutingClient) => (await api.keys.rotate()).newApiKey,
  },
  regenerate: {
    title: 'Regenerate',
    issue: async (api: StorageRoutingClient) => (await api.apiKey.regenerate()).apiKey,
  },
} as const;

type Issue = keyof typeof ISSUES;

/** The key, masked; a new one is shown once. */
export function KeyCard({ onIssued }: { readonly onIssued: (apiKey: string) => void }) {
  const key = useQuery(useAccountQueries().apiKey);
  const [issued, setIssued] = useState<string | undefined>();
  const [asked, setAsked] = useState<Issue | undefined>();
  const issue = useIssue((apiKey) => {
    setAsked(undefined);
    setIssued(apiKey);
    onIssued(apiKey);
  });
  const ask = (kind: Issue) => {
    issue.reset();
    setAsked(kind);
  };
  return (
    <Card title="API key">
      {issued === undefined ? null : (
        <IssuedKey apiKey={issued} onStored={() => setIssued(undefined)} />
      )}
      <Loaded query={key} what="the API key">
        {({ apiKey }) =>
          apiKey ? (
            <CurrentKey info={apiKey} onAsk={ask} />
          ) : (
            <Empty>
              <p>There is no key yet. Your programs need one to upload.</p>
              {issue.error ? <ErrorBox error={issue.error} /> : null}
              <ActionButton
                kind="primary"
                isBusy={issue.isPending}
                onPress={() => issue.mutate('regenerate')}
              >
                Issue the key
              </ActionButton>
            </Empty>
          )
        }
      </Loaded>
      {asked === undefined ? null : (
        <ConfirmDialog
          title={`${ISSUES[asked].title} the API key?`}
          confirmLabel={ISSUES[asked].title}
          isBusy={issue.isPending}
          error={issue.error}
          onConfirm={() => issue.mutate(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            A new key is issued, and the present one stops working <strong>at once</strong>: every
            program that has it is refused until it has the new key. The new key is shown once.
          </p>
          {issue.error ? (
            <p>
              If the answer was lost, the present key may have ended all the same: do it once more.
            </p>
          ) : null}
        </ConfirmDialog>
      )}
    </Card>
  );
}

function useIssue(onIssued: (apiKey: string) => void) {
  const call = useApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (kind: Issue) => call(ISSUES[kind].issue),
    onSuccess: onIssued,
    onSettled: () => client.invalidateQueries({ queryKey: KEYS.apiKey }),
    // Results are kept by the cache; a key is not.
    gcTime: 0,
  });
}

interface CurrentKeyProps {
  readonly info: ApiKeyInfo;
  readonly onAsk: (kind: Issue) => void;
}

function CurrentKey({ info, onAsk }: CurrentKeyProps) {
  return (
    <>
      <Facts
        facts={[
          ['Key', <code>{info.masked}</code>],
          ['Issued', <Time iso={info.createdAt} />],
          ['Last used', info.lastUsedAt === null ? 'Never' : <Time iso={info.lastUsedAt} />],
        ]}
      />
      <div className="actions">
        <ActionButton onPress={() => onAsk('rotate')}>Rotate</ActionButton>
        <ActionButton onPress={() => onAsk('regenerate')}>Regenerate</ActionButton>
      </div>
      <p className="quiet">
        Both issue a new key and end this one. Rotate is the usual way; Regenerate is the call that
        also issues the first key.
      </p>
    </>
  );
}

interface IssuedKeyProps {
  readonly apiKey: string;
  readonly onStored: () => void;
}

function IssuedKey({ apiKey, onStored }: IssuedKeyProps) {
  return (
    <div className="notice" role="status">
      <p className="notice-title">Your new key, shown this once</p>
      <p>
        <code>{apiKey}</code>
      </p>
      <p>Store it where your programs find it. It cannot be shown again.</p>
      <div className="actions">
        <CopyButton text={apiKey} label="Copy the key" />
        <ActionButton onPress={onStored}>I have stored it</ActionButton>
      </div>
    </div>
  );
}
