import { PRIORITIES, type Priority } from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { KEYS } from '../../data/keys.ts';
import { formatCode } from '../../format/code.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { TextInput } from '../../parts/text-input.tsx';
import { TransferState } from './transfer-state.tsx';
import { useTransfer } from './use-transfer.ts';

const PRIORITY_CHOICES = PRIORITIES.map((value) => ({ value, title: formatCode(value) }));

interface TestUploadProps {
  readonly apiKey: string;
  readonly onApiKey: (apiKey: string) => void;
}

/** A file goes from this browser straight to the store that the service chooses. */
export function TestUpload({ apiKey, onApiKey }: TestUploadProps) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | undefined>();
  const [priority, setPriority] = useState<Priority>('hot');
  const upload = useTransfer(() => {
    for (const queryKey of [KEYS.analytics, KEYS.account, KEYS.apiKey])
      void client.invalidateQueries({ queryKey });
  });
  const isSending = upload.transfer?.status === 'sending';
  return (
    <Card title="Test upload">
      <p>
        Sends a file from this browser straight to the store that the service chooses, as a page of
        your own would. The key stays in the memory of this page.
      </p>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (file && !isSending) upload.start({ apiKey, file, priority });
        }}
      >
        <TextInput
          label="Key for the upload"
          hint="Filled in if it was issued above."
          value={apiKey}
          onChange={onApiKey}
          isSecret
          isRequired
        />
        <FileInput onChange={setFile} />
        <Choice
          label="Priority"
          value={priority}
          options={PRIORITY_CHOICES}
          onChange={setPriority}
        />
        <div className="actions">
          <ActionButton kind="primary" type="submit" isBusy={isSending}>
            Upload
          </ActionButton>
        </div>
      </Form>
      {upload.transfer ? <TransferState upload={upload} transfer={upload.transfer} /> : null}
    </Card>
  );
}

/** The browser's own control. */
function FileInput({ onChange }: { readonly onChange: (file: File | undefined) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>File</label>
      <input
        id={id}
        type="file"
        required
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.files?.[0])}
      />
      <span id={`${id}-hint`} slot="description">
        Above 8 MiB it goes in parts, with progress.
      </span>
    </div>
  );
}
