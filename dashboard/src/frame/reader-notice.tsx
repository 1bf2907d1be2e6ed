import { usePerson } from '../data/account.ts';

/** Says to a person whose role only reads who can change something. */
export function ReaderNotice() {
  const person = usePerson();
  if (person?.mayChange !== false) return null;
  return (
    <div className="notice" role="status">
      <p>
        You can look at everything. Changes need a person with the role{' '}
        {person.changingRoles.join(' or ')}.
      </p>
    </div>
  );
}
