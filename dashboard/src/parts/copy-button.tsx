import { useState } from 'react';
import { ActionButton } from './action-button.tsx';

const SHOWN_MS = 2_000;

/** Copies a text, and says that it did. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState('');
  const say = (outcome: string) => {
    setSaid(outcome);
    setTimeout(() => setSaid(''), SHOWN_MS);
  };
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('The browser does not allow it: select the text'),
    );
  return (
    <span className="copy">
      <ActionButton onPress={copy}>{label}</ActionButton>
      <span role="status">{said}</span>
    </span>
  );
}

/** A text to paste elsewhere. */
export function Snippet({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="block">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
