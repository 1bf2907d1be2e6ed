import assert from 'node:assert/strict';
import { complete } from '../../../cli/src/completion/candidates.ts';
import { createProgram } from '../../../cli/src/program.ts';
import type { ProviderDescription, ProviderInfo } from '../../../sdk/src/index.ts';
import { srs } from './terminal.ts';

const program = createProgram(() => () => Promise.resolve());

const STORES = ['aws', 'r2', 'b2'].map((value) => ({ value, description: `store ${value}` }));
const completion = (typed: string) =>
  complete(program, typed.split(' '), {
    provider: async () => STORES,
    place: async () => [{ value: 'r2/mine', description: 'auto' }],
  });

describe('completion', () => {
  for (const [typed, values] of [
    ['pro', 'providers'],
    ['log', 'login logout'],
    ['__', ''],
    ['providers ', 'list set test rm help'],
    ['providers set ', 'aws r2 b2'],
    ['providers set b2 ', ''],
    ['completion ', 'bash zsh fish'],
    ['help pu', 'put'],
    ['put --pri', '--priority'],
    ['upload --pri', '--priority'],
    ['put --priority ', 'hot archive cold'],
    ['put -p a', 'archive'],
    ['put --priority=a', '--priority=archive'],
    ['put --priority = a', 'archive'],
    ['put --priority =', 'hot archive cold'],
    ['put --priority hot --pri', ''],
    ['put --name put --pri', '--priority'],
    ['approve an-id --target r', 'r2'],
    ['relocate --from ', 'r2/mine'],
    ['relocate --to b', 'b2'],
    ['relocation ', 'watch show cancel report help'],
    ['migrations --status comp', 'completed completed_with_failures'],
    ['schedule an-id --every ', 'day week month'],
    ['webhooks ', 'list add deliveries test rotate enable remove help'],
    ['webhooks add a-url --format ', 'standard slack'],
    ['nonsense ', ''],
    ['put ', ':files'],
    ['put a b c', ':files'],
    ['get an-id -o ', ':files'],
    ['connect --external-id-file ', ':files'],
    ['get ', ''],
    ['put --size ', ''],
  ] as const) {
    it(`of "srs ${typed}" is ${values || 'nothing'}`, async () => {
      const { candidates, files } = await completion(typed);
      const offered = candidates.map(({ value }) => value);
      assert.equal([...offered, ...(files ? [':files'] : [])].join(' '), values);
    });
  }

  it('names the stores of the catalogue, the places of the account, and none without a login', async () => {
    const items = STORES.map(({ value: provider, description: title }) => ({ provider, title }));
    const catalogue = async () => ({ items }) as { items: ProviderDescription[] };
    const formerPlaces = [{ bucketName: 'old', region: 'us-east-1' }];
    const saved = { provider: 'aws', bucketName: 'new', region: 'eu-west-1', formerPlaces };
    const list = async () => ({ items: [saved] }) as unknown as { items: ProviderInfo[] };
    const words = ['__complete', '--', 'providers', 'test', ''];
    const ran = await srs(words, { client: { providers: { catalogue } } });
    assert.equal(ran.stdout, 'aws\tstore aws\nr2\tstore r2\nb2\tstore b2\n');
    const places = await srs(['__complete', '--', 'relocate', '--from', 'aws/o'], {
      client: { providers: { list } },
    });
    assert.equal(places.stdout, 'aws/old\tus-east-1\n');
    const without = await srs(words, { env: {} });
    assert.deepEqual([without.exitCode, without.stdout, without.stderr], [0, '', '']);
  });

  it('refuses a shell that it does not know', async () => {
    const ran = await srs(['completion', 'csh'], { env: {} });
    assert.equal(ran.exitCode, 2);
    assert.match(ran.stderr, /bash, zsh, fish/);
  });
});
