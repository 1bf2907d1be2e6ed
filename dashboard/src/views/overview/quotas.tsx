import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAccountQueries } from '../../data/account.ts';
import { formatPercent } from '../../format/values.ts';
import { readQuotas } from '../../format/plan.ts';
import { wordsFromCode } from '../../format/words.ts';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Loaded } from '../../parts/loaded.tsx';

/** What is used of the plan. */
export function Quotas() {
  const account = useQuery(useAccountQueries().account);
  return (
    <Loaded query={account} what="the quotas">
      {(me) => (
        <Figures>
          <Figure
            label="Plan"
            value={wordsFromCode(me.plan)}
            basis={<Link href="/plan">What it allows</Link>}
          />
          {readQuotas(me).map(({ title, used, limit, share }) => (
            <Figure
              key={title}
              label={title}
              value={share === undefined ? used : formatPercent(share)}
              basis={limit === undefined ? 'unlimited' : `${used} of ${limit}`}
            />
          ))}
        </Figures>
      )}
    </Loaded>
  );
}
