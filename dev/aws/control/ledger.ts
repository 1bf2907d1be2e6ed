/** One request, as the ledger keeps it. */
export interface LedgerEntry {
  readonly atMs: number;
  readonly service: 's3' | 'sts';
  /** As in the API reference; `Unknown` where it was none. */
  readonly operation: string;
  /** The caller's ARN; null where the signature was refused. */
  caller: string | null;
  readonly bucket: string | null;
  readonly key: string | null;
  /** 0 while it runs, and where the connection broke before an answer. */
  status: number;
}

/** How many requests there were, in several ways. */
export interface LedgerCounts {
  readonly total: number;
  readonly byOperation: Readonly<Record<string, number>>;
  /** By ARN (`anonymous` for refused ones), then by operation. */
  readonly byCaller: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The most requests that were under way at the same moment. */
  readonly mostAtOnce: number;
}

/** Counts requests and remembers the latest. */
export interface Ledger {
  open(entry: Omit<LedgerEntry, 'caller' | 'status'>): LedgerEntry;
  close(entry: LedgerEntry): void;
  counts(): LedgerCounts;
  /** The latest, oldest first. */
  recent(): readonly LedgerEntry[];
  reset(): void;
}

const KEPT_ENTRIES = 10_000;

/** Creates an empty ledger. */
export function createLedger(): Ledger {
  let entries: LedgerEntry[] = [];
  let byOperation = new Map<string, number>();
  let byCaller = new Map<string, Map<string, number>>();
  let total = 0;
  let underWay = 0;
  let mostAtOnce = 0;
  return {
    open(start) {
      const entry: LedgerEntry = { ...start, caller: null, status: 0 };
      entries.push(entry);
      if (entries.length >= 2 * KEPT_ENTRIES) entries = entries.slice(-KEPT_ENTRIES);
      total += 1;
      underWay += 1;
      mostAtOnce = Math.max(mostAtOnce, underWay);
      increment(byOperation, entry.operation);
      return entry;
    },
    close(entry) {
      underWay -= 1;
      const caller = entry.caller ?? 'anonymous';
      const operations = byCaller.get(caller) ?? new Map<string, number>();
      byCaller.set(caller, operations);
      increment(operations, entry.operation);
    },
    counts: () => ({
      total,
      byOperation: Object.fromEntries(byOperation),
      byCaller: Object.fromEntries(
        [...byCaller].map(([caller, operations]) => [caller, Object.fromEntries(operations)]),
      ),
      mostAtOnce,
    }),
    recent: () => entries.slice(-KEPT_ENTRIES),
    reset() {
      entries = [];
      byOperation = new Map();
      byCaller = new Map();
      total = 0;
      mostAtOnce = underWay;
    },
  };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
