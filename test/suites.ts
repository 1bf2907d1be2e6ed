export type SuiteName = 'all' | 'browser' | 'faults';
/** The long form takes hours. */
export type Form = 'short' | 'long';

/** The files of one mocha process, as globs. */
export interface Group {
  readonly files: readonly string[];
  /** Files among them that run elsewhere, or not in this form. */
  readonly ignored: readonly string[];
}

/** Processes that run side by side. */
export type Phase = readonly Group[];

/** Units that two of the three processes run, so that all end together; the third runs the others. */
const UNITS_BESIDE = ['test/unit/adapters/**/*.test.ts', 'test/unit/sdk/**/*.test.ts'] as const;
/** Half of the browser's tests, by time. */
const BROWSER = ['states', 'audit', 'dashboard'].map((name) => `test/browser/${name}.test.ts`);
/**
 * Of the fault suites, those that one of the two processes runs; the other runs the others. Each starts services of its
 * own: a third process would ask two cores for more than they have.
 */
const FAULTS = [
  'many-runs outages work-lost kill-points random-kills how-to migration-faults',
  'trial versions',
].flatMap((names) => names.split(' ').map((name) => `test/faults/${name}.test.ts`));
/** They hold calls to a time, or need many of them, so nothing else runs beside them. */
const MEASURED = [
  'activity-retries',
  'flood',
  'key-rotation',
  'slow-clients',
  'slow-starts',
  'volume',
].map((name) => `test/faults/${name}.test.ts`);
/** Only the long form has the time for them. */
const LONG = ['copy-long', 'images', 'many-objects', 'memory'].map(
  (name) => `test/faults/${name}.test.ts`,
);
/**
 * What takes long without a fault: they run with the fault suites, so that `npm test` takes less than four minutes.
 * What a customer sees of it is in `acceptance/` too.
 */
const SLOW = {
  migrations: ['test/integration/migration/*.test.ts'],
  programs: ['test/integration/{cli,dev}/*.test.ts'],
  documented: ['client-readme', 'temporal-view', 'webhooks', 'credential-keys'].map(
    (name) => `test/integration/service/${name}.test.ts`,
  ),
  random: ['test/unit/oracle/random.test.ts'],
  security: ['test/integration/owasp/*.test.ts'],
  scans: ['usage', 'source-reconciliation'].map((name) => `test/integration/scan/${name}.test.ts`),
  stores: ['test/integration/adapters/object-stores.test.ts'],
  times: [
    'actions',
    'drill',
    'maintenance',
    'upload-life',
    'upload-pause',
    'webhook-sweep',
    'recommendation-life',
    'relocation',
  ].map((name) => `test/integration/${name}.test.ts`),
};

/** Migrations that the other two processes run, so that all end together. */
const MOVES_BESIDE = {
  stores: ['any-store', 'release-stores'].map(migrationTest),
  answers: ['copy-object', 'store-answers'].map(migrationTest),
};

/** The phases of a suite, one after the other. Every test file is in exactly one suite. */
export function phasesOf(suite: SuiteName, form: Form): readonly Phase[] {
  switch (suite) {
    case 'all':
      return [
        [
          group(
            [
              'test/acceptance/**/*.test.ts',
              'test/integration/{adapters/**/,}*.test.ts',
              UNITS_BESIDE[0],
            ],
            [...SLOW.stores, ...SLOW.times],
          ),
          group(
            ['test/integration/{api,cloud-account,scan,worker}/**/*.test.ts', UNITS_BESIDE[1]],
            SLOW.scans,
          ),
          group(
            ['test/integration/service/**/*.test.ts', 'test/unit/**/*.test.ts'],
            [...UNITS_BESIDE, ...SLOW.documented, ...SLOW.random],
          ),
        ],
      ];
    case 'browser':
      return [[group(BROWSER), group(['test/browser/*.test.ts'], BROWSER)]];
    case 'faults':
      return [
        [
          group(
            [...SLOW.migrations, ...SLOW.scans],
            [...MOVES_BESIDE.stores, ...MOVES_BESIDE.answers],
          ),
          group([...SLOW.programs, ...SLOW.random, ...MOVES_BESIDE.stores]),
          group([
            ...MOVES_BESIDE.answers,
            ...SLOW.security,
            ...SLOW.stores,
            ...SLOW.documented,
            ...SLOW.times,
          ]),
        ],
        [
          group(FAULTS),
          group(
            ['test/faults/*.test.ts'],
            [...FAULTS, ...MEASURED, ...(form === 'long' ? [] : LONG)],
          ),
        ],
        [group(MEASURED)],
      ];
  }
}

function group(files: readonly string[], ignored: readonly string[] = []): Group {
  return { files, ignored };
}

function migrationTest(name: string): string {
  return `test/integration/migration/${name}.test.ts`;
}
