import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAccountQueries } from '../../data/account.ts';
import { formatPercent } from '../../format/numbers.ts';
import { PLAN_TITLES, quotasOf } from '../../format/quotas.ts';
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
            value={PLAN_TITLES[me.plan]}
            basis={<Link href="/plan">What it allows</Link>}
          />
          {quotasOf(me).map(({ title, used, limit, share }) => (
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
