import {
  onlyRegion,
  type FormerPlace,
  type Provider,
  type ProviderDescription,
  type ProviderInfo,
} from '@storage-routing/client';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { ActionButton, ChangeButton } from '../../parts/action-button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { TextInput } from '../../parts/text-input.tsx';
import { fieldErrors } from '../../format/error-messages.ts';
import { createDraft, createRequest, placeFacts, type Draft } from './draft.ts';

interface ProviderFormProps {
  /** At least one. */
  readonly choices: readonly ProviderDescription[];
  /** The stored settings, without their secret, if they are replaced. */
  readonly current?: ProviderInfo;
  /** The place whose keys are replaced, if it is a former one: it cannot be changed. */
  readonly former?: FormerPlace;
  /** What was saved is tested at once, unless it is a former place. */
  readonly onSaved: (provider: Provider) => void;
  readonly onClose: () => void;
}

/**
 * Credentials and location of a store, drawn from the catalogue. The secret leaves this form once,
 * to the API.
 */
export function ProviderForm({ choices, current, former, onSaved, onClose }: ProviderFormProps) {
  const [chosen, setChosen] = useState('');
  const [draft, setDraft] = useState(() => createDraft(former ?? current));
  const store = choices.find(({ provider }) => provider === chosen) ?? choices[0];
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = useChange(
    (api, to: ProviderDescription) =>
      api.providers.save({
        ...createRequest(to, draft),
        ...(former && { place: 'former' as const }),
      }),
    { stale: [KEYS.providers], isSecret: true },
  );
  if (!store) return null;
  const { provider, title, documentation } = store;
  return (
    <Form
      className="form"
      validationErrors={fieldErrors(save.error)}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(store, { onSuccess: () => onSaved(store.provider) });
      }}
    >
      {choices.length > 1 ? (
        <Choice
          label="Store"
          value={provider}
          options={choices.map((choice) => ({ value: choice.provider, title: choice.title }))}
          onChange={setChosen}
        />
      ) : null}
      {former ? (
        <Facts facts={placeFacts(former)} />
      ) : (
        <PlaceFields
          store={store}
          draft={draft}
          isReplaced={current !== undefined}
          onChange={set}
        />
      )}
      <KeyFields draft={draft} onChange={set} />
      {documentation === null ? null : (
        <p>
          <a href={documentation} target="_blank" rel="noreferrer">
            {title}: keys and their permissions
          </a>
        </p>
      )}
      {save.error ? <ErrorBox error={save.error} /> : null}
      <div className="actions">
        <ChangeButton kind="primary" type="submit" isBusy={save.isPending}>
          {former ? 'Replace' : `${current ? 'Replace' : 'Add'} and test`}
        </ChangeButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </Form>
  );
}

interface KeyFieldsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

function KeyFields({ draft, onChange }: KeyFieldsProps) {
  return (
    <>
      <TextInput
        label="Access key id"
        name="accessKeyId"
        value={draft.accessKeyId}
        onChange={(accessKeyId) => onChange({ accessKeyId })}
        isRequired
      />
      <TextInput
        label="Secret access key"
        hint="Stored encrypted, and never shown again."
        name="secretAccessKey"
        value={draft.secretAccessKey}
        onChange={(secretAccessKey) => onChange({ secretAccessKey })}
        isSecret
        isRequired
      />
    </>
  );
}

interface PlaceFieldsProps extends KeyFieldsProps {
  readonly store: ProviderDescription;
  /** The store has a place. */
  readonly isReplaced: boolean;
}

function PlaceFields({ store, draft, isReplaced, onChange }: PlaceFieldsProps) {
  const { title, regionExample, needsAccountId, jurisdictions } = store;
  return (
    <>
      <TextInput
        label="Bucket"
        {...(isReplaced && { hint: 'Another one is for new uploads: files stay where they are.' })}
        name="bucketName"
        value={draft.bucketName}
        onChange={(bucketName) => onChange({ bucketName })}
        isRequired
      />
      {onlyRegion(store) === undefined ? (
        <TextInput
          label="Region"
          hint={`Such as ${regionExample}.`}
          name="region"
          value={draft.region}
          onChange={(region) => onChange({ region })}
          isRequired
        />
      ) : null}
      {needsAccountId ? (
        <TextInput
          label="Account id"
          hint={`The id of your account at ${title}.`}
          name="accountId"
          value={draft.accountId}
          onChange={(accountId) => onChange({ accountId })}
          isRequired
        />
      ) : null}
      {jurisdictions.length > 0 ? (
        <Choice
          label="Jurisdiction"
          value={draft.jurisdiction}
          options={[
            { value: '', title: 'None' },
            ...jurisdictions.map((value) => ({ value, title: value })),
          ]}
          onChange={(jurisdiction) => onChange({ jurisdiction })}
        />
      ) : null}
    </>
  );
}
