import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { toCredentials } from '../../../dev/first-account.ts';
import { createClient, type Provider, type StorageRoutingClient } from '../../../sdk/src/index.ts';
import { ADMIN, s3Client } from '../../harness/aws-double.ts';
import { eventually } from '../../harness/customer.ts';
import { opened } from '../../harness/opened.ts';
import { programPath } from '../../harness/programs.ts';
import { releaseTerminals } from '../../harness/release-terminal.ts';
import { OWN } from '../../harness/own-store.ts';
import { localServers, startIsolatedService } from '../../servers.ts';
import { startAnyStore, type StoreName } from './own-stores.ts';

const KEYS = ['a/1', 'a/2', 'a/b\n+%2B', 'a/z'];
const OWNER = { accessKeyId: ADMIN.accessKeyId, secretAccessKey: ADMIN.secretAccessKey };

interface Moved {
  readonly client: StorageRoutingClient;
  readonly token: string;
  readonly baseUrl: string;
  readonly from: Provider;
  readonly to: Provider;
  readonly bucket: string;
  readonly owner: typeof OWNER;
  /** Of the source, with the owner's rights. */
  readonly s3: S3Client;
}

const withCli = programPath('aws') === undefined ? describe.skip : describe;

withCli('the commands of a release from a store other than AWS', () => {
  const terminals = releaseTerminals();

  const keysOf = async ({ s3, bucket }: Moved) => {
    // A key that XML cannot hold is shown as it is only if it is escaped.
    const listed = await s3.send(new ListObjectsV2Command({ Bucket: bucket, EncodingType: 'url' }));
    return (listed.Contents ?? []).map(({ Key = '' }) => decodeURIComponent(Key));
  };
  const write = async ({ s3, bucket }: Moved, Key: string, Body: string) =>
    void (await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body })));

  /** Moves the bucket; its proven release, and a terminal of its owner. */
  async function release(moved: Moved) {
    const { client, token, baseUrl, from, to, bucket, owner } = moved;
    for (const key of KEYS) await write(moved, key, `the body of ${key}`);
    const connection = await client.scanner.connect({ provider: from, buckets: [bucket] });
    const { scanId } = await client.scanner.start(connection.connectionId);
    const { recommendations } = await client.scanner.waitFor(scanId, { pollMs: 50 });
    const move = recommendations.find(({ kind, bucket: of }) => kind === 'move' && of === bucket);
    assert.ok(move, JSON.stringify(recommendations));
    const { migrationId } = await client.migrations.approve(move.recommendationId, {
      targetProvider: to,
    });
    await client.migrations.waitFor(migrationId, { pollMs: 50 });
    await client.migrations.beginRelease(migrationId);
    const { howTo, differences } = await client.migrations.waitForRelease(migrationId, {
      pollMs: 50,
    });
    assert.ok(howTo, JSON.stringify(differences));
    return { howTo, terminal: await terminals.open({ ...owner, baseUrl, token }) };
  }

  const any = opened(startAnyStore);

  async function ofDouble(from: StoreName, to: StoreName): Promise<Moved> {
    const { client, token, bucketOf } = await any.customer(from, to);
    const { baseUrl } = any.service;
    const region = from === 'b2' ? 'us-west-004' : 'us-east-1';
    const s3 = s3Client(any.doubles[from], { region, requestChecksumCalculation: 'WHEN_REQUIRED' });
    return { client, token, baseUrl, from, to, bucket: bucketOf(from), owner: OWNER, s3 };
  }

  it('compare each object at B2 before its delete, and say what is not seen, and what B2 needs', async () => {
    const moved = await ofDouble('b2', 'own-cheap');
    const { howTo, terminal } = await release(moved);
    const { summary, commands } = howTo;
    assert.match(summary, /at Backblaze B2, .*a write between the two is not seen/);
    assert.match(
      summary,
      /`daysFromHidingToDeleting`.* listFiles, readFiles, writeFiles and delete/,
    );
    assert.doesNotMatch(commands.join(), /lifecycle/);
    await write(moved, 'a/2', 'written after the check');
    const said = await terminal.paste(commands);
    assert.match(said, /^stays: "a\/2" \(changed since the check\)$/m);
    assert.deepEqual(await keysOf(moved), ['a/2']);
    assert.match(await terminal.paste(commands), /^stays: "a\/2"/m);
  });

  it('leave at an operator’s own store what is written between the listing and the HEAD', async () => {
    const moved = await ofDouble('own-minio', 'b2');
    const { howTo, terminal } = await release(moved);
    const { bucket } = moved;
    const double = any.doubles['own-minio'];
    const [operation, key] = ['HeadObject', 'a/z'];
    double.addFault({ operation, bucket, key, effect: 'latency', latencyMs: 3_000 });
    const heads = double.counts().byOperation[operation] ?? 0;
    const pasted = terminal.paste(howTo.commands);
    await eventually('every object is compared', () =>
      Promise.resolve((double.counts().byOperation[operation] ?? 0) >= heads + KEYS.length),
    );
    await write(moved, key, 'written meanwhile');
    assert.match(await pasted, /^stays: "a\/z" \(PreconditionFailed\)$/m);
    double.clearFaults();
    assert.deepEqual(await keysOf(moved), ['a/z']);
    await write(moved, 'a/1', 'of another bucket with this name');
    await assert.rejects(terminal.paste(howTo.commands), /Nothing was deleted/);
    assert.deepEqual(await keysOf(moved), ['a/1', 'a/z']);
  });

  it('delete under a condition where that was measured, at a real server', async () => {
    const { environment } = (await localServers()).stack;
    const region = 'us-west-004';
    const file = join(await mkdtemp(join(tmpdir(), 'own-store-')), 'stores.json');
    await writeFile(
      file,
      JSON.stringify([{ ...OWN, regionPattern: region, regionExample: region }]),
    );
    const endpoint = environment['PROVIDER_ENDPOINT_B2'] ?? '';
    const { stack, service } = await startIsolatedService({
      environment: {
        DEFAULT_PLAN: 'enterprise',
        MIN_MONTHLY_SAVINGS_USD: '0',
        STORES_FILE: file,
        PROVIDER_ENDPOINT_OWN_MINIO: endpoint,
      },
    });
    try {
      const token = stack.identity?.issueToken({ account: `customer-${randomUUID()}` }) ?? '';
      const { baseUrl } = service;
      const client = createClient({ baseUrl, dashboardToken: token });
      await client.providers.save(toCredentials('r2', environment));
      const { accessKeyId, secretAccessKey } = toCredentials('b2', environment);
      const owner = { accessKeyId, secretAccessKey };
      const s3 = new S3Client({
        endpoint,
        region,
        credentials: { ...owner },
        forcePathStyle: true,
      });
      const bucket = randomUUID();
      await s3.send(new CreateBucketCommand({ Bucket: bucket }));
      const from = 'own-minio';
      await client.providers.save({ provider: from, ...owner, region, bucketName: bucket });
      const { checks } = await client.providers.test(from);
      assert.ok(checks.find(({ name }) => name === 'conditional_delete')?.supported);
      const moved = { client, token, baseUrl, from, to: 'r2', bucket, owner, s3 };
      const { howTo, terminal } = await release(moved);
      assert.doesNotMatch(howTo.summary, /not seen/);
      await write(moved, 'a/2', 'written after the check');
      assert.match(await terminal.paste(howTo.commands), /^stays: "a\/2" \(changed/m);
      assert.deepEqual(await keysOf(moved), ['a/2']);
    } finally {
      await service.stop();
    }
  });
});
