/** One logged request. */
export interface RequestLogEntry {
  readonly atMs: number;
  readonly service: 's3' | 'sts';
  /** As in the API reference; `Unknown` where it was none. */
  readonly operation: string;
  /** The caller's ARN; null if verification failed. */
  caller: string | null;
  readonly bucket: string | null;
  readonly key: string | null;
  /** 0 while in progress, and if the connection broke before a response. */
  status: number;
}

/** Request counts. */
export interface RequestCounts {
  readonly total: number;
  readonly byOperation: Readonly<Record<string, number>>;
  /** By ARN (`anonymous` after a verification failure), then by operation. */
  readonly byCaller: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Peak number of concurrent requests. */
  readonly mostAtOnce: number;
}

/** Counts requests and keeps the latest. */
export interface RequestLog {
  open(entry: Omit<RequestLogEntry, 'caller' | 'status'>): RequestLogEntry;
  close(entry: RequestLogEntry): void;
  counts(): RequestCounts;
  /** The latest, oldest first. */
  recent(): readonly RequestLogEntry[];
  reset(): void;
}

const MAX_ENTRIES = 100_000;

/** Creates an empty request log. */
export function createRequestLog(): RequestLog {
  let entries: RequestLogEntry[] = [];
  let byOperation = new Map<string, number>();
  let byCaller = new Map<string, Map<string, number>>();
  let total = 0;
  let inProgress = 0;
  let mostAtOnce = 0;
  return {
    open(start) {
      const entry: RequestLogEntry = { ...start, caller: null, status: 0 };
      entries.push(entry);
      if (entries.length >= 2 * MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES);
      total += 1;
      inProgress += 1;
      mostAtOnce = Math.max(mostAtOnce, inProgress);
      increment(byOperation, entry.operation);
      return entry;
    },
    close(entry) {
      inProgress -= 1;
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
    recent: () => entries.slice(-MAX_ENTRIES),
    reset() {
      entries = [];
      byOperation = new Map();
      byCaller = new Map();
      total = 0;
      mostAtOnce = inProgress;
    },
  };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
