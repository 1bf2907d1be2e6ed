import assert from 'node:assert/strict';
import type * as sdk from '../../../sdk/src/index.ts';
import { exampleOf, itemOf } from '../examples.ts';
import {
  type FakeClient,
  MIGRATION_ID,
  RECOMMENDATION_ID,
  SCAN_ID,
  srs,
  type RunOptions,
} from './terminal.ts';

const DETAIL = 'GET /v1/scanner/recommendations/{recommendationId}';

/** Calls one tool of a new process. What is asked: `integration/cli/mcp`. */
async function callTool(name: string, args: object, client: FakeClient, given: RunOptions = {}) {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  };
  const input = [`${JSON.stringify(message)}\n`];
  const ran = await srs('mcp', { ...given, client, input });
  assert.equal(ran.exitCode, 0, ran.stderr);
  const [{ result } = assert.fail(ran.stderr), ...others] = ran.documents();
  assert.deepEqual(others, []);
  const { content, isError = false } = result as {
    content: { text: string }[];
    isError?: boolean;
  };
  return { ...ran, text: content[0]?.text ?? '', isError };
}

async function propose(changes: Parameters<typeof exampleOf<sdk.RecommendationDetail>>[1]) {
  return await callTool(
    'propose_approval',
    { recommendationId: RECOMMENDATION_ID },
    {
      scanner: {
        recommendation: async () => exampleOf<sdk.RecommendationDetail>(DETAIL, changes),
        results: async () => exampleOf<sdk.ScanResult>('GET /v1/scanner/results/{scanId}'),
      },
    },
  );
}

describe('srs mcp', () => {
  it('proposes a move with its quote, and that it was dismissed', async () => {
    const dismissed = {
      until: '2026-12-24T00:00:00.000Z',
      reason: 'not \u001B[2Jnow',
      by: 'x',
      byName: 'Ada',
      at: '2026-11-24T00:00:00.000Z',
    };
    const { text } = await propose({ dismissed });
    assert.match(
      text,
      /^Move to b2: acme-media\/.*\nMove {8}.*\nCosts once {2}\$37\.79: .*\nSaves {7}\$14\.62 a month \(now .*\nPaid back .*\n(?:Waiting .*\n)?Beware .*\nA month {5}.+ here, .+ there.*\nDismissed {3}until 2026-12-24T00:00:00\.000Z: not \\u\{1b\}\[2Jnow\n\nNothing is approved yet\..*\nhttps:\/\/routing\.example\.com\/dashboard\/recommendations\/4ec00000-\S+$/,
    );
  });

  it('proposes a clean-up without its commands', async () => {
    const howTo = {
      summary: 'A rule aborts them.',
      lifecycleRule: null,
      commands: ['aws s3api x'],
    };
    const kind = 'abort_multipart_uploads';
    const cleanUp = { kind, recommendedProvider: null, options: [], howTo, oneOffUsd: 0.2 };
    const { text } = await propose(cleanUp);
    assert.match(
      text,
      /^Abort unfinished uploads: .*\nCosts once {2}\$0\.20\nSaves .*\nHow {9}A rule aborts them\.\n/,
    );
    assert.match(text, /\nNothing is changed yet\. .*\nhttps:\S+$/);
    assert.doesNotMatch(text, /aws s3api/);
  });

  it('shows a ready release without the commands that delete the source', async () => {
    const release = exampleOf<sdk.Release>('GET /v1/scanner/migration/{migrationId}/release');
    assert.ok((release.howTo?.commands ?? []).length > 0);
    const client = { migrations: { release: () => Promise.resolve(release) } };
    const { text } = await callTool('get_release', { migrationId: MIGRATION_ID }, client);
    assert.match(text, /^ready: .*\nsaves .*\nroot {5}\S+\n\nHow a person deletes the source: /);
    assert.ok(text.endsWith(`https://routing.example.com/dashboard/migrations/${MIGRATION_ID}`));
  });

  it('shows a long answer in pages of whole lines, and cuts a line that is longer', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
    const long = '夏'.repeat(20_000);
    const report = `${[...lines, long].join('\n')}\n`;
    const client = { scanner: { report: () => Promise.resolve(report) } };
    const shown: string[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const { text } = await callTool('get_report', { scanId: SCAN_ID, page }, client);
      const [whole, body = '', said = ''] = /^(.*)\n\npage (.*)$/s.exec(text) ?? [];
      assert.ok(whole !== undefined && body.length <= 8_000, `${body.length}`);
      more = said.endsWith(`; continue with page ${page + 1}`);
      shown.push(body);
    }
    const all = shown.join('\n').split('\n');
    assert.deepEqual(all.slice(0, lines.length), lines);
    assert.equal(all.slice(lines.length).join(''), long);
  });

  it('escapes the characters of names that a terminal would obey', async () => {
    const store = itemOf<sdk.ProviderInfo>('GET /v1/providers', {
      bucketName: 'a\u001B[2J\u202Eb',
    });
    const list = () => Promise.resolve({ items: [store] });
    const report = () => Promise.resolve('# a\u0007\r\nb\u2028c\n');
    const { text } = await callTool('list_stores', {}, { providers: { list } });
    assert.ok(text.includes(String.raw`a\u{1b}[2J\u{202e}b`), text);
    const shown = await callTool('get_report', { scanId: SCAN_ID }, { scanner: { report } });
    assert.equal(shown.text, '# a\\u{7}\nb\\u{2028}c');
  });

  it('answers get_account with an API key alone, too', async () => {
    const me = exampleOf<sdk.Me>('GET /v1/me');
    const env = { SRS_BASE_URL: 'https://routing.example.com', SRS_API_KEY: 'svc_test_key' };
    const { text } = await callTool('get_account', {}, { me: () => Promise.resolve(me) }, { env });
    assert.ok(text.startsWith(`account  ${me.accountId}\n`), text);
  });

  it('refuses to send anything but reads', async () => {
    const list = () => Promise.resolve({ items: [] });
    const { options } = await callTool('list_stores', {}, { providers: { list } });
    for (const method of ['POST', 'PUT', 'DELETE', undefined])
      await assert.rejects(
        options?.fetch?.('https://routing.example.com', method === undefined ? {} : { method }) ??
          assert.fail(),
        /only reads/,
      );
  });
});
