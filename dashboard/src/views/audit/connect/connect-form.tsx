import { StorageRoutingError } from '@storage-routing/client';
import { Form } from 'react-aria-components/Form';
import { useLocation } from 'wouter';
import { KEYS } from '../../../data/keys.ts';
import { useChange } from '../../../data/query.ts';
import { ChangeButton } from '../../../parts/action-button.tsx';
import { ErrorBox } from '../../../parts/error-box.tsx';
import { TextInput } from '../../../parts/text-input.tsx';
import { RegionChoice } from './region-choice.tsx';
import { trustCondition } from './role.ts';
import { Snippet } from '../../../parts/copy-button.tsx';
import { listRegions, type Draft } from './use-draft.ts';

interface ConnectFormProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onConnected: () => void;
}

/** The role's ARN and the regions. The service tries the role before it answers. */
export function ConnectForm({ draft, onChange, onConnected }: ConnectFormProps) {
  const [, navigate] = useLocation();
  const externalId = draft.externalId.trim();
  const regions = listRegions(draft);
  const connect = useChange(
    (api) => api.scanner.connect({ roleArn: draft.roleArn.trim(), externalId, regions }),
    { stale: [KEYS.connections] },
  );
  const { error } = connect;
  const isRefused = error instanceof StorageRoutingError && error.code === 'role_not_assumable';
  return (
    <Form
      className="form wide-form"
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate(undefined, {
          onSuccess: () => {
            onConnected();
            navigate('/audit');
          },
        });
      }}
    >
      <TextInput
        label="ARN of the role"
        hint="Such as arn:aws:iam::111122223333:role/StorageRoutingReadOnly."
        value={draft.roleArn}
        onChange={(roleArn) => onChange({ roleArn })}
        isRequired
      />
      <RegionChoice draft={draft} onChange={onChange} />
      {error ? <ErrorBox error={error} /> : null}
      {isRefused ? <RoleAdvice externalId={externalId} /> : null}
      <div className="actions">
        <ChangeButton
          kind="primary"
          type="submit"
          isBusy={connect.isPending}
          isDisabled={regions.length === 0}
        >
          {connect.isPending ? 'Trying the role…' : 'Connect'}
        </ChangeButton>
        {regions.length === 0 ? <span role="status">Choose at least one region.</span> : null}
      </div>
    </Form>
  );
}

function RoleAdvice({ externalId }: { readonly externalId: string }) {
  return (
    <div className="notice">
      <p className="notice-title">What to compare</p>
      <ul>
        <li>
          The name and the account in the ARN. A role made a moment ago may need some seconds.
        </li>
        <li>The principal of its trust policy: the account of the service, from step 2.</li>
        <li>The permissions policy: it must allow s3:ListAllMyBuckets.</li>
        <li>The statement of its trust policy must have this condition:</li>
      </ul>
      <Snippet
        text={`"Condition": ${JSON.stringify(trustCondition(externalId), null, 2)}`}
        label="Copy the condition"
      />
    </div>
  );
}
