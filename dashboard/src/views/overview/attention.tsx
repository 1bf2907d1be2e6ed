import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useScanQueries } from '../../data/scans.ts';
import { formatUsd } from '../../format/values.ts';
import { wordsFromCode } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttention } from './use-attention.ts';

/** What needs the reader, each a link; and the latest audit. */
export function Attention() {
  const scans = useQuery(useScanQueries().scans);
  return (
    <div className="columns">
      <Card title="Needs attention">
        <AttentionList />
      </Card>
      <Card title="Latest audit">
        <Loaded query={scans} what="the audits">
          {({ items: [latest] }) =>
            latest ? (
              <p>
                <Link href={`/audit/scans/${latest.scanId}`}>{wordsFromCode(latest.status)}</Link>,
                started <Time iso={latest.startedAt} />
                {latest.monthlySavingsUsd === null
                  ? null
                  : `: could save ${formatUsd(latest.monthlySavingsUsd)} a month`}
              </p>
            ) : (
              <p>
                No cloud account has been audited in the last 90 days.{' '}
                <Link href="/audit">Audit one</Link>
              </p>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

/** Shows what is known, even if one of the lists is not there yet or has failed. */
function AttentionList() {
  const results = useAttention();
  const items = results.flatMap(({ data }) => data ?? []);
  const open = results.find(({ error }) => error) ?? results.find(({ data }) => !data);
  return (
    <>
      {items.length > 0 ? (
        <ul className="attention">
          {items.map(({ text, href }, index) => (
            <li key={`${href} ${index}`}>
              <Link href={href}>{text}</Link>
            </li>
          ))}
        </ul>
      ) : null}
      {open ? (
        <Loaded query={open} what="what needs attention">
          {() => null}
        </Loaded>
      ) : null}
      {items.length === 0 && !open ? <p>Nothing.</p> : null}
    </>
  );
}
