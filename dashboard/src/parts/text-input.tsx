import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';

interface TextInputProps {
  readonly label: string;
  /** The field of the API's body: errors of the form name it. */
  readonly name?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  /** Not shown while it is typed, and not kept by the browser. */
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
  /** A field of several lines. */
  readonly isMultiline?: boolean;
}

export function TextInput(props: TextInputProps) {
  const { label, name, value, onChange, hint, isSecret = false, isRequired = false } = props;
  const Field = props.isMultiline === true ? TextArea : Input;
  return (
    <TextField
      className="field"
      {...(name !== undefined && { name })}
      value={value}
      onChange={onChange}
      isRequired={isRequired}
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
    >
      <Label>{label}</Label>
      <Field spellCheck="false" autoCapitalize="off" />
      {hint === undefined ? null : <Text slot="description">{hint}</Text>}
      <FieldError className="field-error" />
    </TextField>
  );
}
