import type { ScanLine, ScanResult } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { completedScans, useScanQueries } from '../../../data/scans.ts';
import { formatTime } from '../../../format/values.ts';
import { Choice } from '../../../parts/choice.tsx';
import { Empty, Loaded } from '../../../parts/loaded.tsx';
import { Page } from '../../../parts/page.tsx';
import '../audit.css';
import { DifferenceTables } from './difference-tables.tsx';

/** Two scans, named by the address, and what has changed between them. */
export function Compare() {
  const [search, setSearch] = useSearchParams();
  const from = search.get('from') ?? '';
  const to = search.get('to') ?? '';
  const scans = useQuery(useScanQueries().scans);
  const choose = (change: { from?: string; to?: string }) =>
    setSearch({ from, to, ...change }, { replace: true });
  return (
    <Page title="Compare two audits" actions={<Link href="/audit">All audits</Link>}>
      <Loaded query={scans} what="the audits">
        {({ items }) => <ScanChoice items={items} from={from} to={to} onChoose={choose} />}
      </Loaded>
      {from === '' || to === '' ? (
        <Empty>
          <p>Choose two audits of one account.</p>
        </Empty>
      ) : (
        <Differences key={`${from} ${to}`} from={from} to={to} />
      )}
    </Page>
  );
}

interface ScanChoiceProps {
  readonly items: readonly ScanLine[];
  readonly from: string;
  readonly to: string;
  readonly onChoose: (change: { from?: string; to?: string }) => void;
}

/** The completed scans of the account whose scans are compared. */
function ScanChoice({ items, from, to, onChoose }: ScanChoiceProps) {
  const selected = items.find(({ scanId }) => scanId === to || scanId === from) ?? items[0];
  const choices = selected ? completedScans(items, selected.connectionId) : [];
  const options = (chosen: string) => [
    ...(choices.some(({ scanId }) => scanId === chosen)
      ? []
      : [{ value: chosen, title: chosen === '' ? 'Choose an audit' : 'An older audit' }]),
    ...choices.map(({ scanId, startedAt }) => ({ value: scanId, title: formatTime(startedAt) })),
  ];
  return (
    <div className="columns">
      <Choice
        label="Earlier audit"
        value={from}
        options={options(from)}
        onChange={(value) => onChoose({ from: value })}
      />
      <Choice
        label="Later audit"
        value={to}
        options={options(to)}
        onChange={(value) => onChoose({ to: value })}
      />
    </div>
  );
}

function Differences({ from, to }: { readonly from: string; readonly to: string }) {
  const queries = useScanQueries();
  const first = useQuery(queries.scan(from));
  const second = useQuery(queries.scan(to));
  return (
    <Loaded query={first} what="the earlier audit">
      {(earlier) => (
        <Loaded query={second} what="the later audit">
          {(later) => <Comparison earlier={earlier} later={later} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface ComparisonProps {
  readonly earlier: ScanResult;
  readonly later: ScanResult;
}

function Comparison({ earlier, later }: ComparisonProps) {
  const unfinished = [earlier, later].find(({ status }) => status !== 'completed');
  if (unfinished)
    return (
      <Empty>
        <p>One of these audits has no result.</p>
        <Link href={`/audit/scans/${unfinished.scanId}`}>See its status</Link>
      </Empty>
    );
  return (
    <>
      {earlier.connectionId === later.connectionId ? null : (
        <div className="notice">
          <p>These audits are of two connections: what differs may never have changed.</p>
        </div>
      )}
      <DifferenceTables earlier={earlier} later={later} />
    </>
  );
}
