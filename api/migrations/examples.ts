import { QUOTE, SAMPLE, WHOLE_BUCKET, type Examples } from '../http/examples.ts';

const { recommendationId, migrationId, person } = SAMPLE;

const MIGRATION = {
  migrationId,
  recommendationId,
  status: 'completed',
  source: {
    provider: 'aws',
    bucket: 'acme-media',
    region: 'us-east-1',
    selector: WHOLE_BUCKET,
  },
  target: {
    provider: 'b2',
    bucketName: 'acme-archive',
    keyPrefix: 'acme-media/',
  },
  quote: QUOTE,
  approvedBy: person,
  approvedByName: 'Ada Example',
  approvedAt: '2026-11-20T14:30:00.000Z',
  progress: {
    objectsTotal: 2000,
    objectsCopied: 1998,
    objectsSkipped: 2,
    objectsFailed: 0,
    bytesTotal: 450_887_680_000,
    bytesCopied: 450_436_792_320,
    percent: 100,
    bytesPerSecond: 104_857_600,
    etaSeconds: null,
  },
  failures: [],
  notCarried: [
    {
      what: 'tags',
      objects: 40,
    },
  ],
  realised: {
    state: 'copied_not_yet_released',
    asOf: '2026-11-21T12:00:00.000Z',
    monthlyUsd: 14.624654,
  },
  round: 1,
  rounds: [
    {
      number: 1,
      status: 'completed',
      startedAt: '2026-11-20T14:30:00.412Z',
      completedAt: '2026-11-20T15:44:10.020Z',
      objectsCopied: 1998,
      bytesCopied: 450_436_792_320,
      objectsUnchanged: 0,
      objectsGone: 0,
      objectsReleased: 0,
      objectsRemoved: 0,
      objectsFailed: 0,
      costUsd: QUOTE.totalUsd,
      startedBy: person,
      startedByName: 'Ada Example',
    },
  ],
  startedAt: '2026-11-20T14:30:00.412Z',
  updatedAt: '2026-11-20T15:44:10.020Z',
  completedAt: '2026-11-20T15:44:10.020Z',
  error: null,
};

const NOTHING_COPIED = {
  objectsTotal: 0,
  objectsCopied: 0,
  objectsSkipped: 0,
  objectsFailed: 0,
  bytesTotal: 0,
  bytesCopied: 0,
  percent: null,
  bytesPerSecond: 0,
  etaSeconds: null,
};

const SECOND_ROUND = {
  ...MIGRATION.rounds[0],
  number: 2,
  status: 'queued',
  startedAt: null,
  completedAt: null,
  objectsCopied: 0,
  bytesCopied: 0,
  costUsd: 0,
};

/** The line of one object, and the line with the totals. */
const REPORT = [
  {
    key: 'videos/00001.mp4',
    targetKey: 'acme-media/videos/00001.mp4',
    bytes: 225_443_840,
    sourceEtag: '"9b2cf535f27731c974343645a3985328-4"',
    sha256: '3b7e72edd4bb2e1b9d4f1b0a4b5f7c0d2b7a6f0c1e9d8a7b6c5d4e3f2a1b0c9d',
    targetEtag: '"5d41402abc4b2a76b9719d911017c592-4"',
    outcome: 'copied',
    attempts: 1,
    round: 1,
    at: '2026-11-20T14:31:02.118Z',
  },
  {
    migrationId,
    status: MIGRATION.status,
    objectsTotal: MIGRATION.progress.objectsTotal,
    objectsCopied: MIGRATION.progress.objectsCopied,
    objectsSkipped: MIGRATION.progress.objectsSkipped,
    objectsFailed: MIGRATION.progress.objectsFailed,
    bytesTotal: MIGRATION.progress.bytesTotal,
    bytesCopied: MIGRATION.progress.bytesCopied,
    notCarried: MIGRATION.notCarried,
    acls: 'none',
    startedAt: MIGRATION.startedAt,
    completedAt: MIGRATION.completedAt,
  },
];

const RELEASED = {
  key: 'videos/00001.mp4',
  etag: '9b2cf535f27731c974343645a3985328-4',
  bytes: 225_443_840,
  sha256: '3b7e72edd4bb2e1b9d4f1b0a4b5f7c0d2b7a6f0c1e9d8a7b6c5d4e3f2a1b0c9d',
};

const RELEASE = {
  status: 'ready',
  startedBy: person,
  startedByName: 'Ada Example',
  checkedAt: '2026-11-21T09:00:04.000Z',
  validUntil: '2026-11-22T09:00:04.000Z',
  objects: 2000,
  bytes: 450_887_680_000,
  rootHash: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441b4a2f6c8a5a1f7c3bc1d808e',
  differences: { total: 0, items: [] },
  monthlySavingsUsd: 14.624654,
  versioned: false,
  howTo: {
    summary:
      'Deletes 2,000 objects (450.89 GB) from acme-media at AWS S3, each only if it still has the ETag that was checked.',
    commands: [
      'aws s3api delete-objects --endpoint-url https://s3.us-east-1.amazonaws.com --bucket acme-media --delete file://list.json',
    ],
  },
  error: null,
};

const CHECKING = {
  status: 'checking',
  checkedAt: null,
  validUntil: null,
  objects: 0,
  bytes: 0,
  rootHash: null,
  monthlySavingsUsd: 0,
  versioned: null,
  howTo: null,
};

export const MIGRATION_EXAMPLES: Examples = {
  'POST /v1/scanner/recommendations/{recommendationId}/approve': {
    parameters: { recommendationId },
    body: { targetProvider: 'b2' },
    replies: {
      202: {
        migrationId,
        recommendationId,
        targetProvider: 'b2',
        status: 'queued',
        quote: QUOTE,
        approvedBy: person,
        approvedByName: 'Ada Example',
        approvedAt: MIGRATION.approvedAt,
      },
    },
  },
  'GET /v1/scanner/migrations': {
    parameters: { status: MIGRATION.status, limit: 10, offset: 0 },
    replies: {
      200: {
        items: [
          {
            migrationId,
            recommendationId,
            bucket: MIGRATION.source.bucket,
            prefix: null,
            targetProvider: MIGRATION.target.provider,
            status: MIGRATION.status,
            objectsTotal: MIGRATION.progress.objectsTotal,
            bytesTotal: MIGRATION.progress.bytesTotal,
            percent: 100,
            quoteTotalUsd: QUOTE.totalUsd,
            monthlySavingsUsd: 14.624654,
            approvedBy: person,
            approvedByName: 'Ada Example',
            approvedAt: MIGRATION.approvedAt,
            completedAt: MIGRATION.completedAt,
            realised: MIGRATION.realised,
          },
        ],
        total: 1,
        limit: 10,
        offset: 0,
      },
    },
  },
  'GET /v1/scanner/migration/{migrationId}': {
    parameters: { migrationId },
    replies: { 200: MIGRATION },
  },
  'GET /v1/scanner/migration/{migrationId}/report': {
    parameters: { migrationId },
    replies: { 200: REPORT.map((line) => `${JSON.stringify(line)}\n`).join('') },
  },
  'POST /v1/scanner/migration/{migrationId}/rounds': {
    parameters: { migrationId },
    body: { maxTotalUsd: 5, removeAtMost: 0 },
    replies: {
      202: {
        ...MIGRATION,
        status: 'queued',
        progress: NOTHING_COPIED,
        round: 2,
        rounds: [...MIGRATION.rounds, SECOND_ROUND],
        completedAt: null,
      },
    },
  },
  'POST /v1/scanner/migration/{migrationId}/release': {
    parameters: { migrationId },
    body: {},
    replies: { 202: { release: { ...RELEASE, ...CHECKING } } },
  },
  'GET /v1/scanner/migration/{migrationId}/release': {
    parameters: { migrationId },
    replies: { 200: RELEASE },
  },
  'GET /v1/scanner/migration/{migrationId}/release/objects': {
    parameters: { migrationId },
    replies: { 200: `${JSON.stringify(RELEASED)}\n`.repeat(2) },
  },
  'POST /v1/scanner/migration/{migrationId}/cancel': {
    parameters: { migrationId },
    body: {},
    replies: {
      202: { ...MIGRATION, status: 'cancelling', realised: null, completedAt: null },
    },
  },
};
