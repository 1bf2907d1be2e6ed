import { ActionButton } from './action-button.tsx';
import { CopyButton } from './copy-button.tsx';

interface IssuedSecretProps {
  readonly title: string;
  readonly secret: string;
  /** Where it belongs. */
  readonly advice: string;
  readonly copyLabel: string;
  /** Hides the secret. */
  readonly onStored: () => void;
}

/** A key or a secret, shown once. */
export function IssuedSecret({ title, secret, advice, copyLabel, onStored }: IssuedSecretProps) {
  return (
    <div className="notice" role="status">
      <p className="notice-title">{title}</p>
      <p>
        <code>{secret}</code>
      </p>
      <p>{advice} It cannot be shown again.</p>
      <div className="actions">
        <CopyButton text={secret} label={copyLabel} />
        <ActionButton onPress={onStored}>I have stored it</ActionButton>
      </div>
    </div>
  );
}
