import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { KeyCard } from './key-card.tsx';
import { ProgramCard } from './program-card.tsx';
import { TestUpload } from './test-upload.tsx';

/**
 * The API key of the account, and a test upload with it. A key that was issued here is in memory
 * until the view is left.
 */
export function Key() {
  const [apiKey, setApiKey] = useState('');
  const [shownKey, setShownKey] = useState('');
  return (
    <Page title="Key">
      <KeyCard
        onIssued={(issued) => {
          setApiKey(issued);
          setShownKey(issued);
        }}
        onStored={() => setShownKey('')}
      />
      <ProgramCard apiKey={shownKey} />
      <TestUpload apiKey={apiKey} onApiKey={setApiKey} />
    </Page>
  );
}
