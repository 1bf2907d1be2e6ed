import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useQueries } from '../../data/queries.ts';
import { formatUsd } from '../../format/numbers.ts';
import { SCAN_TITLES } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { useAttention } from './use-attention.ts';

/** What needs the reader, each a link; and the latest audit. */
export function Attention() {
  const matters = useAttention();
  const scans = useQuery(useQueries().scans);
  return (
    <div className="columns">
      <Card title="Needs attention">
        <Loaded query={matters} what="what needs attention">
          {(items) =>
            items.length === 0 ? (
              <p>Nothing.</p>
            ) : (
              <ul className="matters">
                {items.map(({ text, href }) => (
                  <li key={text}>
                    <Link href={href}>{text}</Link>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      <Card title="Latest audit">
        <Loaded query={scans} what="the audits">
          {({ items: [latest] }) =>
            latest ? (
              <p>
                {SCAN_TITLES[latest.status]}, started <Time iso={latest.startedAt} />
                {latest.monthlySavingsUsd === null
                  ? null
                  : `: could save ${formatUsd(latest.monthlySavingsUsd)} a month`}
              </p>
            ) : (
              <p>No cloud account has been audited in the last 90 days.</p>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}
