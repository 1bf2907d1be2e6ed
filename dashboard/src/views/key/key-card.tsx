import type { ApiKeyInfo } from '@storage-routing/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountQueries } from '../../data/account.ts';
import { KEYS } from '../../data/keys.ts';
import { useApi } from '../../data/api.ts';
import { ActionButton, ChangeButton } from '../../parts/action-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Time } from '../../parts/time.tsx';

interface KeyCardProps {
  readonly onIssued: (apiKey: string) => void;
  /** Hides the key. */
  readonly onStored: () => void;
}

/** The key, masked; a new one is shown once. */
export function KeyCard({ onIssued, onStored }: KeyCardProps) {
  const key = useQuery(useAccountQueries().apiKey);
  const [issued, setIssued] = useState<string | undefined>();
  const [isAsked, setAsked] = useState(false);
  const issue = useIssue((apiKey) => {
    setAsked(false);
    setIssued(apiKey);
    onIssued(apiKey);
  });
  const ask = () => {
    issue.reset();
    setAsked(true);
  };
  return (
    <Card title="API key">
      {issued === undefined ? null : (
        <IssuedKey
          apiKey={issued}
          onStored={() => {
            setIssued(undefined);
            onStored();
          }}
        />
      )}
      <Loaded query={key} what="the API key">
        {({ apiKey }) =>
          apiKey ? (
            <CurrentKey info={apiKey} onAsk={ask} />
          ) : (
            <Empty>
              <p>There is no key yet. Your programs need one to upload.</p>
              {issue.error ? <ErrorBox error={issue.error} /> : null}
              <ChangeButton kind="primary" isBusy={issue.isPending} onPress={() => issue.mutate()}>
                Issue the key
              </ChangeButton>
            </Empty>
          )
        }
      </Loaded>
      {isAsked ? (
        <ConfirmDialog
          title="Rotate the API key?"
          confirmLabel="Rotate"
          isBusy={issue.isPending}
          error={issue.error}
          onConfirm={() => issue.mutate()}
          onClose={() => setAsked(false)}
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
      ) : null}
    </Card>
  );
}

function useIssue(onIssued: (apiKey: string) => void) {
  const call = useApi();
  const client = useQueryClient();
  return useMutation({
    // Issues the first key as well.
    mutationFn: async () => (await call((api) => api.apiKey.regenerate())).apiKey,
    onSuccess: onIssued,
    onSettled: () => client.invalidateQueries({ queryKey: KEYS.apiKey }),
    // Results are kept by the cache; a key is not.
    gcTime: 0,
  });
}

interface CurrentKeyProps {
  readonly info: ApiKeyInfo;
  readonly onAsk: () => void;
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
        <ChangeButton onPress={onAsk}>Rotate</ChangeButton>
      </div>
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
      <p className="notice-title">Your new key, shown only once</p>
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
