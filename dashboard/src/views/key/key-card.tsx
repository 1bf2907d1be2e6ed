import type { ApiKeyInfo } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountQueries } from '../../data/account.ts';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { IssuedSecret } from '../../parts/issued-secret.tsx';
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
  // Issues the first key as well.
  const issue = useChange((api) => api.apiKey.regenerate(), {
    onSuccess: ({ apiKey }) => {
      setAsked(false);
      setIssued(apiKey);
      onIssued(apiKey);
    },
    staleAnyway: [KEYS.apiKey],
    isSecret: true,
  });
  const ask = () => {
    issue.reset();
    setAsked(true);
  };
  return (
    <Card title="API key">
      {issued === undefined ? null : (
        <IssuedSecret
          title="Your new key, shown only once"
          secret={issued}
          advice="Store it where your programs find it."
          copyLabel="Copy the key"
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
          change={issue}
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

function CurrentKey({ info, onAsk }: { readonly info: ApiKeyInfo; readonly onAsk: () => void }) {
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
