import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { MongoClient, type Db, type Document, type Filter } from 'mongodb';
import { parseAllDocuments } from 'yaml';
import { readApiConfig } from '../../../config/api.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { findProgram } from '../../../dev/services/service.ts';
import { services } from '../../../dev/services/services.ts';
import { eventually } from '../../harness/customer.ts';
import { KUBERNETES } from '../../harness/helm-chart.ts';
import { writeProgram } from '../../harness/pasted-commands.ts';
import { programPath } from '../../harness/programs.ts';
import { isolatedServers, localServers, startServiceOn } from '../../servers.ts';
import { REQUIRED } from '../../unit/config-problems.ts';
import { readText, ROOT } from '../../unit/deployment/compose.ts';
import { runBlocks, type Session } from './fixtures/run-blocks.ts';
import { readShellBlocks } from './fixtures/shell-blocks.ts';

const run = promisify(execFile);
const DOCUMENTS = ['docs/operations.md', 'docs/deploying.md'] as const;
/** What inline code begins with that somebody may paste. */
const PROGRAMS =
  /^(?:aws|chown|cp|curl|docker|helm|install|jq|kubectl|mongo\w+|node|promtool|temporal) \S/;
const NEW_BUILD_ID = '1.4.0';
const OLD_BUILD_ID = '1.3.0';

for (const path of DOCUMENTS)
  describe(`the commands of ${path}`, () => {
    const blocks = readShellBlocks(path);

    it('are blocks, which this test runs, or another one that they name', () => {
      const commands = blocks.map((block) => block.commands.replaceAll(/\s+/g, ' ')).join('\n');
      const inline = [...readText(path).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(
        ([, code = '']) => code,
      );
      for (const code of inline.filter((each) => PROGRAMS.test(each)))
        assert.ok(commands.includes(code), code);
      for (const { skipped } of blocks) {
        const [, test] = /^(test\/\S+) runs it$/.exec(skipped ?? '') ?? [];
        const isMissing = /^there is no \w+ here$/.test(skipped ?? '');
        assert.ok(
          skipped === undefined || isMissing || (test && existsSync(join(ROOT, test))),
          skipped,
        );
      }
    });

    it('name only scripts that there are', () => {
      const { scripts } = JSON.parse(readText('package.json')) as { scripts: object };
      for (const [, name = ''] of readText(path).matchAll(/npm run (?:-s )?([\w:]+)/g))
        assert.ok(name in scripts, name);
    });
  });

describe('docs/operations.md, beside a running service', () => {
  const [path] = DOCUMENTS;
  const blocks = readShellBlocks(path);
  const requestId = `request-${randomUUID()}`;
  let folder: string;
  let session: Session;
  let stop: (() => Promise<void>) | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'operating-'));
    const stack = await isolatedServers();
    const common = { TEMPORAL_DEPLOYMENT_NAME: 'storage-routing', WORKER_QUEUES: 'uploads' };
    const service = await startServiceOn(stack, { workerCount: 0, environment: common });
    stop = service.stop;
    const workers = await Promise.all(
      [OLD_BUILD_ID, NEW_BUILD_ID].map((TEMPORAL_WORKER_BUILD_ID) =>
        service.addWorker({ TEMPORAL_WORKER_BUILD_ID }),
      ),
    );
    const { command, args } = await findProgram(services.temporal, stack.resolverContext);
    await writeProgram(folder, 'temporal', `exec '${[command, ...args].join("' '")}' "$@"`);
    const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = '' } = stack.environment;
    const environment = {
      PATH: [folder, process.env['PATH']].join(delimiter),
      HOME: folder,
      TEMPORAL_ADDRESS,
      TEMPORAL_NAMESPACE,
      NEW_BUILD_ID,
      OLD_BUILD_ID,
      REQUEST_ID: requestId,
    };
    const answers = (...args: string[]) =>
      run('temporal', ['worker', 'deployment', ...args], { env: environment }).then(
        () => true,
        () => false,
      );
    for (const buildId of [OLD_BUILD_ID, NEW_BUILD_ID])
      await eventually(`Temporal knows the version ${buildId}`, () =>
        answers('describe-version', '--deployment-name', 'storage-routing', '--build-id', buildId),
      );
    // The commands ask for it first; Temporal shows it later than its versions.
    await eventually('Temporal knows the deployment', () =>
      answers('describe', '--name', 'storage-routing'),
    );
    await fetch(`${service.baseUrl}/v1/me`, { headers: { 'x-request-id': requestId } });
    const api = service.apis[0] ?? assert.fail();
    await eventually('the call is logged', async () => (await api.readLog()).includes(requestId));
    await writeFile(join(folder, 'api.log'), await api.readLog());
    await writeFile(join(folder, 'worker.log'), await (workers[0] ?? assert.fail()).readLog());
    session = await runBlocks(blocks, { folder, environment });
  });
  after(async () => {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds the lines of a request', () => {
    const [, line = ''] = new RegExp(`^(\\{.*${requestId}.*\\})$`, 'm').exec(session.output) ?? [];
    assert.equal((JSON.parse(line) as { status: number }).status, 401);
  });

  it('triggers a sweep, and moves the workers to a new version', () => {
    for (const { at } of blocks.filter(({ skipped }) => skipped === undefined))
      assert.ok(session.output.includes(`\n== ${at}\n`), at);
    assert.match(session.output, /Trigger request sent/i);
    assert.match(session.output, /Success/i);
    assert.match(session.output, new RegExp(OLD_BUILD_ID.replaceAll('.', String.raw`\.`)));
  });
});

/** `db` of mongosh, as far as the documents use it. */
function shellDatabase(db: Db) {
  return new Proxy(
    {},
    {
      get: (_target, name) => {
        const collection = db.collection(String(name));
        return {
          countDocuments: (filter: Filter<Document>) => collection.countDocuments(filter),
          find: (filter: Filter<Document>, projection: Document) =>
            collection.find(filter, { projection }).toArray(),
          aggregate: (stages: Document[]) => collection.aggregate(stages).toArray(),
        };
      },
    },
  );
}

const HELD = { accountId: 'a', store: 'r2', work: 'delete' } as const;
const REFUSED = { r2: { delete: { count: 5, code: 'AccessDenied' } } } as const;

describe('docs/operations.md, in mongosh', () => {
  let client: MongoClient;
  let db: Db;
  before(async () => {
    const { stack } = await localServers();
    client = await MongoClient.connect(stack.environment['MONGODB_URI'] ?? '');
    db = client.db(`operating-${randomUUID().slice(0, 8)}`);
    const ago = (ms: number) => new Date(Date.now() - ms);
    const location = { provider: 'r2' };
    await db.collection<Document & { _id: string }>('files').insertMany([
      {
        _id: 'late',
        status: 'pending',
        nextAttemptAt: ago(1_000_000),
        attempts: 7,
        accountId: 'a',
        location,
      },
      {
        _id: 'soon',
        status: 'pending',
        nextAttemptAt: ago(1_000),
        attempts: 1,
        accountId: 'a',
        location,
      },
      {
        _id: 'unstarted',
        status: 'pending',
        unstarted: true,
        nextAttemptAt: ago(1_000),
        accountId: 'a',
        location,
      },
      {
        _id: 'stopped',
        status: 'deleting',
        error: { code: 'provider_error', message: 'refused' },
        accountId: 'a',
        location,
      },
      // Since different times.
      ...[1_000, 2_000].map((ms) => ({
        _id: `held-${ms}`,
        status: 'deleting',
        nextAttemptAt: new Date(Date.now() + 1_000_000),
        held: { ...HELD, since: ago(ms) },
        accountId: 'a',
        location,
      })),
    ]);
    await db
      .collection<Document & { _id: string }>('accounts')
      .insertMany([{ _id: 'a', refused: REFUSED }, { _id: 'b' }]);
  });
  after(async () => {
    await db.dropDatabase();
    await client.close();
  });

  it('finds what is not started, what is overdue, what is tried again and again, what stores refuse, and deletes that have stopped', async () => {
    const found: unknown[] = [];
    const shell = { db: shellDatabase(db), Date };
    for (const [, code = ''] of readText('docs/operations.md').matchAll(/^```js\n([^]*?)^```$/gm))
      for (const statement of code.split(/;\n/).filter((each) => each.trim()))
        found.push(await runInNewContext(statement, shell));
    assert.deepEqual(found, [
      1,
      1,
      [
        {
          _id: 'late',
          accountId: 'a',
          status: 'pending',
          location: { provider: 'r2' },
          attempts: 7,
        },
      ],
      [{ _id: 'a', refused: REFUSED }],
      [{ _id: HELD, files: 2 }],
      [{ _id: { accountId: 'a', provider: 'r2', error: 'refused' }, files: 1 }],
    ]);
  });
});

describe('docs/deploying.md, in a copy of the repository', () => {
  const [, path] = DOCUMENTS;
  const blocks = readShellBlocks(path);
  const bucket = `templates-${randomUUID().slice(0, 8)}`;
  let folder: string;
  let programs: string;
  let session: Session;

  before(async () => {
    const { double } = (await localServers()).stack.cloud ?? assert.fail();
    [folder, programs] = [
      await mkdtemp(join(tmpdir(), 'deploying-')),
      await mkdtemp(join(tmpdir(), 'programs-')),
    ];
    for (const name of ['docs', 'deploy', 'docker-compose.yml', '.env.example'])
      await symlink(join(ROOT, name), join(folder, name));
    for (const name of ['mongodb_uri', 'credential_keys'])
      await writeFile(join(folder, name), name);
    const standIn = join(ROOT, 'test/integration/dev/fixtures/docker-stand-in.ts');
    const tsx = join(ROOT, 'node_modules/tsx/dist/loader.mjs');
    await writeProgram(
      programs,
      'docker',
      `exec '${process.execPath}' --import '${tsx}' '${standIn}' "$@"`,
    );
    // Without a cluster: what it would be sent.
    const kubectl = programPath('kubectl');
    if (kubectl !== undefined)
      await writeProgram(
        programs,
        'kubectl',
        `case "$1 $2" in 'apply --kustomize') exec '${kubectl}' kustomize "$3" ;; create*) echo ---; exec '${kubectl}' "$@" --dry-run=client --output=yaml ;; esac; exit 1`,
      );
    const helm = programPath('helm');
    if (helm !== undefined)
      await writeProgram(
        programs,
        'helm',
        `[ "$1 $2" = 'upgrade --install' ] && shift 2 && exec '${helm}' template ${KUBERNETES.join(' ')} "$@"`,
      );
    const [owner, awsAccount] = [createAccessKey(), '555566667777'];
    double.putUser({ ...owner, accountId: awsAccount, userName: 'operator' });
    double.putBucket({ name: bucket, region: 'us-east-1', accountId: awsAccount });
    await writeProgram(
      programs,
      'aws',
      `exec '${programPath('aws')}' --endpoint-url '${double.s3Endpoint}' "$@"`,
    );
    const copied = 'aws s3 cp "s3://$BUCKET/storage-routing-role.yaml" - >template.yaml';
    session = await runBlocks(
      [
        ...blocks,
        { at: 'copied', commands: programPath('aws') ? copied : ':', skipped: undefined },
      ],
      {
        folder,
        environment: {
          PATH: [programs, process.env['PATH']].join(delimiter),
          HOME: folder,
          BUCKET: bucket,
          AWS_ACCESS_KEY_ID: owner.accessKeyId,
          AWS_SECRET_ACCESS_KEY: owner.secretAccessKey,
          AWS_DEFAULT_REGION: 'us-east-1',
        },
      },
    );
  });
  after(async () => {
    for (const each of [folder, programs]) await rm(each, { recursive: true, force: true });
  });

  /** What a block has printed. */
  const printedBy = (text: string): string => {
    const block = blocks.find(({ commands }) => commands.includes(text)) ?? assert.fail(text);
    return (
      session.output.split(/\n== /).find((part) => part.startsWith(`${block.at}\n`)) ??
      assert.fail(block.at)
    );
  };

  it('makes an environment that the processes read, with the key in a file that only its owner reads', async () => {
    const lines = (await readFile(join(folder, '.env'), 'utf8')).split('\n');
    const values = Object.fromEntries(
      lines.flatMap((line) => (/^\w+=/.test(line) ? [line.split(/=(.*)/, 2)] : [])),
    ) as Record<string, string>;
    const file = join(folder, values['CREDENTIAL_KEYS_FILE'] ?? '');
    assert.equal((await stat(dirname(file))).mode & 0o077, 0);
    const { CREDENTIAL_KEYS: _key, ...required } = REQUIRED;
    const { credentialKeys } = readApiConfig({
      ...values,
      ...required,
      CREDENTIAL_KEYS_FILE: file,
    });
    assert.deepEqual(
      credentialKeys.map(({ keyId }) => keyId),
      ['k1'],
    );
  });

  it('starts by compose what there is, and everything of the service', async () => {
    const service = printedBy('--no-deps api');
    assert.match(
      service,
      /^docker compose up: api worker-uploads worker-scans worker-migrations worker-webhooks$/m,
    );
    assert.match(printedBy('--scale'), /docker compose up: .*worker-webhooks/);
    for (const wrong of [
      'compose up worker-upload',
      'compose up --detached',
      'compose --profile try up',
      'run api',
    ])
      await assert.rejects(run(join(programs, 'docker'), wrong.split(' ')), /docker: /, wrong);
  });

  if (programPath('kubectl'))
    it('makes a Secret of the keys that the manifests name, and manifests that kustomize builds', () => {
      const [, secret] = parseAllDocuments(printedBy('kubectl create').replace(/^.*\n/, '')).map(
        (document) => document.toJS() as { data: object },
      );
      const wanted = new Set(
        [...printedBy('kubectl apply').matchAll(/^ +- key: (\w+)$|^ +key: (\w+)$/gm)].map(
          ([, item, ref = '']) => item ?? ref,
        ),
      );
      assert.deepEqual(Object.keys(secret?.data ?? {}).toSorted(), [...wanted].toSorted());
    });

  if (programPath('helm'))
    it('installs the chart, with the settings and the autoscaler of the example', () => {
      const installed = printedBy('helm upgrade');
      assert.match(installed, /JWT_ISSUER: https:\/\/login\.example\.com$/m);
      assert.match(installed, /kind: ScaledObject\nmetadata:\n +name: worker-migrations$/m);
    });

  if (programPath('aws'))
    it('copies the template of the role', () => {
      assert.equal(
        readFileSync(join(folder, 'template.yaml'), 'utf8'),
        readText('docs/connect-aws/storage-routing-role.yaml'),
      );
    });
});
