import assert from 'node:assert/strict';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Webhook } from 'standardwebhooks';
import { requireOnPath, runLogged } from '../../../dev/system/commands.ts';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { isHttpAnswering } from '../../../dev/system/probes.ts';
import { createProcesses, type Processes } from '../../../dev/system/processes.ts';
import { ROOT } from './fixtures/run.ts';

const EXAMPLES = join(ROOT, 'docs/examples/webhooks');
const BUILD_WITHIN_MS = 5 * 60_000;
const READY_WITHIN_MS = 60_000;
const LARGEST_BODY_BYTES = 64 * 1024;

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** How each receiver is run; Go's is compiled first, by which it also has one process only. */
const RECEIVERS: Readonly<Record<string, (processes: Processes) => Promise<Command>>> = {
  'receiver.mjs': async () => ({
    command: process.execPath,
    args: [join(EXAMPLES, 'receiver.mjs')],
  }),
  'receiver.py': async () => ({
    command: await requireOnPath('python3'),
    args: [join(EXAMPLES, 'receiver.py')],
  }),
  'receiver.go': async ({ dataFolder, logFolder }) => {
    const command = join(dataFolder, 'receiver-go');
    await runLogged('go', ['build', '-o', command, join(EXAMPLES, 'receiver.go')], {
      logFile: join(logFolder, 'go-build.log'),
      timeoutMs: BUILD_WITHIN_MS,
    });
    return { command, args: [] };
  },
};

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

interface Message {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

/** A message that no receiver has got yet. Its text is not ASCII: the signature covers bytes. */
function newMessage({ at = new Date(), padding = '' } = {}): Message {
  const scanId = randomUUID();
  const data = { scanId, bucket: 'Größe 📦', padding };
  return {
    id: `evt_${randomUUID()}`,
    at,
    body: JSON.stringify({ type: 'scan.completed', timestamp: at.toISOString(), data }),
  };
}

function headersOf({ id, at }: Message, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  };
}

describe('the examples of webhook receivers', () => {
  let processes: Processes;
  before(() => {
    processes = createProcesses((text) => process.stderr.write(text));
  });
  after(async () => await processes.stopAll());

  for (const [name, prepare] of Object.entries(RECEIVERS))
    describe(name, () => {
      const secret = newSecret();
      let url: string;
      let logFile: string;

      before(async function () {
        this.timeout(BUILD_WITHIN_MS + READY_WITHIN_MS);
        const port = await takeFreePort();
        url = `http://127.0.0.1:${port}/`;
        const receiver = await processes.start({
          name,
          ...(await prepare(processes)),
          environment: { WEBHOOK_SECRET: secret, PORT: String(port) },
          isReady: async () => await isHttpAnswering(url),
          readyWithinMs: READY_WITHIN_MS,
        });
        ({ logFile } = receiver);
      });

      const sign = ({ id, at, body }: Message, by = secret) => new Webhook(by).sign(id, at, body);
      const post = async (headers: Record<string, string>, body: string) =>
        (await fetch(url, { method: 'POST', headers, body })).status;
      const send = async (message: Message, signature = sign(message)) =>
        await post(headersOf(message, signature), message.body);

      /** What it has printed for a message. It prints before it answers. */
      const printed = ({ body }: Message): unknown[] => {
        const { type, data } = JSON.parse(body) as { type: string; data: { scanId: string } };
        return readFileSync(logFile, 'utf8')
          .split('\n')
          .filter((line) => line.startsWith(`${type} `) && line.includes(data.scanId))
          .map((line) => JSON.parse(line.slice(type.length + 1)) as unknown);
      };
      const dataOf = ({ body }: Message) => (JSON.parse(body) as { data: unknown }).data;

      /** The answer is 400, nothing is printed, and the message is still taken when it is sent properly. */
      const assertRefused = async (refused: Message, signature: string, proper = refused) => {
        assert.equal(await send(refused, signature), 400);
        assert.deepEqual(printed(refused), []);
        assert.equal(await send(proper), 204);
        assert.deepEqual(printed(proper), [dataOf(proper)]);
      };

      it('takes an event, and prints it once although it is sent again', async () => {
        const message = newMessage();
        const answers = await Promise.all([send(message), send(message)]);
        assert.deepEqual([...answers, await send(message)], [204, 204, 204]);
        assert.deepEqual(printed(message), [dataOf(message)]);
      });

      it('takes an event of which the second signature fits', async () => {
        const message = newMessage();
        const signatures = [sign(message, newSecret()), sign(message)];
        assert.equal(await send(message, signatures.join(' ')), 204);
        assert.deepEqual(printed(message), [dataOf(message)]);
      });

      it('takes a body of 64 KiB, and none that is larger', async () => {
        const room = LARGEST_BODY_BYTES - Buffer.byteLength(newMessage().body);
        const largest = newMessage({ padding: '-'.repeat(room) });
        assert.equal(await send(largest), 204);
        const larger = newMessage({ padding: '-'.repeat(room + 1) });
        assert.equal(await send(larger), 400);
        assert.deepEqual([printed(largest).length, printed(larger).length], [1, 0]);
      });

      it('refuses a body that was changed', async () => {
        const message = newMessage();
        const changed = { ...message, body: message.body.replace('Größe', 'Grosse') };
        await assertRefused(changed, sign(message), message);
      });

      it('refuses the signature of another secret', async () => {
        const message = newMessage();
        await assertRefused(message, sign(message, newSecret()));
      });

      it('refuses a signature of another version, a part of one, and text', async () => {
        const signature = sign(newMessage());
        const others = [
          signature.replace('v1,', 'v1a,'),
          signature.slice(0, -1),
          '',
          'v1',
          '\u00e9',
        ];
        for (const other of others) assert.equal(await send(newMessage(), other), 400, other);
      });

      it('refuses an id and a timestamp that are not those of the signature', async () => {
        const message = newMessage();
        await assertRefused({ ...message, id: `evt_${randomUUID()}` }, sign(message), message);
        const other = newMessage();
        await assertRefused({ ...other, at: secondsAgo(60) }, sign(other), other);
      });

      it('refuses a timestamp of six minutes ago, takes one of four', async () => {
        const old = newMessage({ at: secondsAgo(6 * 60) });
        await assertRefused(old, sign(old), newMessage({ at: secondsAgo(4 * 60) }));
      });

      it('refuses a timestamp in six minutes', async () => {
        const early = newMessage({ at: secondsAgo(-6 * 60) });
        await assertRefused(early, sign(early), newMessage({ at: secondsAgo(-4 * 60) }));
      });

      it('refuses a request without one of the headers, whatever is signed', async () => {
        const message = newMessage();
        const headers = headersOf(message, sign(message));
        for (const missing of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
          const rest = Object.entries(headers).filter(([header]) => header !== missing);
          assert.equal(await post(Object.fromEntries(rest), message.body), 400, missing);
        }
        const { 'webhook-id': _, ...anonymous } = headersOf(message, sign({ ...message, id: '' }));
        assert.equal(await post(anonymous, message.body), 400);
        assert.deepEqual(printed(message), []);
      });

      it('refuses a timestamp that is none, although it is signed', async () => {
        const { id, body } = newMessage();
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const hmac = createHmac('sha256', key).update(`${id}.now.${body}`).digest('base64');
        const headers = { 'webhook-id': id, 'webhook-timestamp': 'now' };
        assert.equal(await post({ ...headers, 'webhook-signature': `v1,${hmac}` }, body), 400);
      });
    });
});
