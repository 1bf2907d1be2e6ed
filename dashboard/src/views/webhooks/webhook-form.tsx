import { WEBHOOK_EVENTS, type WebhookRequest } from '@storage-routing/client';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { formatEvent } from '../../format/webhooks.ts';
import { fieldErrors } from '../../format/error-messages.ts';
import { ActionButton, ChangeButton } from '../../parts/action-button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { TextInput } from '../../parts/text-input.tsx';

type Event = WebhookRequest['events'][number];

const FORMATS = [
  { value: 'standard', title: 'Signed message (Standard Webhooks)' },
  { value: 'slack', title: 'Text for a Slack or Teams channel' },
] as const;

const HINT = 'An https URL whose host has public addresses.';

interface WebhookFormProps {
  readonly onAdded: (secret: string) => void;
  readonly onClose: () => void;
}

export function WebhookForm({ onAdded, onClose }: WebhookFormProps) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly Event[]>(WEBHOOK_EVENTS);
  const [format, setFormat] = useState<(typeof FORMATS)[number]['value']>('standard');
  const add = useChange((api) => api.webhooks.add({ url, events: [...events], format }), {
    onSuccess: ({ secret }) => onAdded(secret),
    staleAnyway: [KEYS.webhooks],
    isSecret: true,
  });
  const toggle = (event: Event) =>
    setEvents(WEBHOOK_EVENTS.filter((each) => (each === event) !== events.includes(each)));
  return (
    <Form
      className="form"
      validationErrors={fieldErrors(add.error)}
      onSubmit={(submitted) => {
        submitted.preventDefault();
        add.mutate();
      }}
    >
      <TextInput
        label="Address"
        hint={format === 'slack' ? `${HINT} It is masked once it has been added.` : HINT}
        name="url"
        value={url}
        onChange={setUrl}
        isRequired
      />
      <fieldset className="choices">
        <legend>Events to send</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={() => toggle(event)}
            />{' '}
            {formatEvent(event)}
          </label>
        ))}
      </fieldset>
      <Choice label="Format" value={format} options={FORMATS} onChange={setFormat} />
      {add.error ? <ErrorBox error={add.error} /> : null}
      <div className="actions">
        <ChangeButton
          kind="primary"
          type="submit"
          isBusy={add.isPending}
          isDisabled={events.length === 0}
        >
          Add
        </ChangeButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </Form>
  );
}
