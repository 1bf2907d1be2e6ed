import { CopyButton } from './copy-button.tsx';

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
