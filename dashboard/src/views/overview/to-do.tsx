import { CircleAlert, CircleCheck, Clock, CreditCard, Trash2 } from 'lucide-react';
import { Link } from 'wouter';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useToDo, type ToDoKind } from './use-to-do.ts';

const ICONS = {
  problem: CircleAlert,
  release: Trash2,
  payment: CreditCard,
  running: Clock,
} as const satisfies Record<ToDoKind, unknown>;

/**
 * What is left to do, each a link. Shows what is known, even if one of the lists is not there yet
 * or has failed.
 */
export function ToDo() {
  const results = useToDo();
  const items = results.flatMap(({ data }) => data ?? []);
  const open = results.find(({ error }) => error) ?? results.find(({ data }) => !data);
  return (
    <Card title="To do">
      {items.length > 0 ? (
        <ul className="to-do">
          {items.map(({ kind, text, href }, index) => {
            const Icon = ICONS[kind];
            return (
              <li key={`${href} ${index}`} className={`to-do-${kind}`}>
                <Icon aria-hidden size={18} />
                <Link href={href}>{text}</Link>
              </li>
            );
          })}
        </ul>
      ) : null}
      {open ? (
        <Loaded query={open} what="what is left to do">
          {() => null}
        </Loaded>
      ) : null}
      {items.length === 0 && !open ? (
        <p className="to-do-done">
          <CircleCheck aria-hidden size={18} /> Nothing is left to do.
        </p>
      ) : null}
    </Card>
  );
}
