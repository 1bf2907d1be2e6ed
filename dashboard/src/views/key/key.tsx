import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { KeyCard } from './key-card.tsx';
import { TestUpload } from './test-upload.tsx';

/** The API key of the account, and a test upload with it. A key that was issued here is in memory until the view is left. */
export function Key() {
  const [apiKey, setApiKey] = useState('');
  return (
    <Page title="Key">
      <KeyCard onIssued={setApiKey} />
      <TestUpload apiKey={apiKey} onApiKey={setApiKey} />
    </Page>
  );
}
