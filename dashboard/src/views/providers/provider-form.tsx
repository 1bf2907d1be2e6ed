import { JURISDICTIONS, type Provider, type ProviderInfo } from '@storage-routing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { useApi } from '../../data/api.ts';
import { KEYS } from '../../data/keys.ts';
import { PROVIDER_TITLES } from '../../format/words.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { TextInput } from '../../parts/text-input.tsx';
import { emptyDraft, requestOf, type Draft } from './draft.ts';

interface ProviderFormProps {
  readonly choices: readonly Provider[];
  /** The stored settings, without their secret, where they are replaced. */
  readonly current?: ProviderInfo;
  readonly onClose: () => void;
}

/** Credentials and location of a store. The secret leaves this form once, to the API. */
export function ProviderForm({ choices, current, onClose }: ProviderFormProps) {
  const call = useApi();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => emptyDraft(choices[0] ?? 'aws', current));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = useMutation({
    mutationFn: () => call((api) => api.providers.save(requestOf(draft))),
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS.providers }),
    // Variables and results are kept by the cache; a secret is not.
    gcTime: 0,
  });
  const isR2 = draft.provider === 'r2';
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onClose });
      }}
    >
      {choices.length > 1 ? (
        <Choice
          label="Store"
          value={draft.provider}
          options={choices.map((value) => ({ value, title: PROVIDER_TITLES[value] }))}
          onChange={(provider) => setDraft({ ...draft, provider })}
        />
      ) : null}
      <TextInput
        label="Bucket"
        value={draft.bucketName}
        onChange={(bucketName) => set({ bucketName })}
        isRequired
      />
      {isR2 ? (
        <>
          <TextInput
            label="Account id"
            hint="Cloudflare shows it beside the bucket."
            value={draft.accountId}
            onChange={(accountId) => set({ accountId })}
            isRequired
          />
          <Choice
            label="Jurisdiction"
            value={draft.jurisdiction}
            options={[
              { value: '', title: 'None' },
              ...JURISDICTIONS.map((value) => ({ value, title: value })),
            ]}
            onChange={(jurisdiction) => set({ jurisdiction })}
          />
        </>
      ) : (
        <TextInput
          label="Region"
          hint={draft.provider === 'aws' ? 'Such as eu-central-1.' : 'Such as us-west-004.'}
          value={draft.region}
          onChange={(region) => set({ region })}
          isRequired
        />
      )}
      <TextInput
        label="Access key id"
        value={draft.accessKeyId}
        onChange={(accessKeyId) => set({ accessKeyId })}
        isRequired
      />
      <TextInput
        label="Secret access key"
        hint="Stored encrypted, and never shown again."
        value={draft.secretAccessKey}
        onChange={(secretAccessKey) => set({ secretAccessKey })}
        isSecret
        isRequired
      />
      {save.error ? <ErrorBox error={save.error} /> : null}
      <div className="actions">
        <ActionButton kind="primary" type="submit" isBusy={save.isPending}>
          {current ? 'Replace' : 'Add'}
        </ActionButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </Form>
  );
}
