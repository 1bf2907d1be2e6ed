import type { StoreUnderTest } from '../../contract/store-under-test.ts';
import { objectStoreContract } from '../../contract/object-store.ts';
import type { ProviderName } from '../../../domain/providers/catalogue.ts';
import {
  B2_BEHAVIOUR,
  R2_BEHAVIOUR,
  type StoreBehaviour,
} from '../../../dev/aws-double/behaviour.ts';
import { createAccessKey } from '../../../dev/parts/cloud-account.ts';
import { ADMIN, startDouble } from '../../harness/aws-double.ts';
import { localServers } from '../../servers.ts';

const ODD_KEYS = [
  'a b',
  'a+b',
  "'()*!",
  '%41',
  'A',
  '日本語/é/😀',
  '&=?#;,:@$',
  '~tilde_-.',
  '<>"\\^`{|}',
  'x'.repeat(240),
];
/** Keys that a store on files cannot distinguish or store. */
const KEYS_BEYOND_FILES = [
  'a//b',
  'a/./b',
  'a/../b',
  '../up',
  '/leading',
  'trailing/',
  'same',
  'same/below',
  'SAME',
  'x'.repeat(900),
];

async function storeOf(provider: ProviderName, oddKeys: string[]): Promise<StoreUnderTest> {
  const { environment, cloud } = (await localServers()).stack;
  const read = (name: string) => environment[name] ?? '';
  const prefix = `STORE_${provider.toUpperCase()}`;
  const credentials = {
    accessKeyId: read(`${prefix}_ACCESS_KEY_ID`),
    secretAccessKey: read(`${prefix}_SECRET_ACCESS_KEY`),
  };
  const owner = provider === 'aws' ? createAccessKey() : credentials;
  if (provider === 'aws') cloud?.double.putUser(owner);
  return {
    origin: read(`PROVIDER_ENDPOINT_${provider.toUpperCase()}`),
    location: {
      provider,
      bucketName: read(`${prefix}_BUCKET`),
      region: read(`${prefix}_REGION`),
      ...(provider === 'r2' ? { accountId: read('STORE_R2_ACCOUNT_ID') } : {}),
    },
    credentials,
    owner,
    oddKeys,
    keepsVersions: false,
  };
}

/** A double of its own that behaves as the provider's store. */
async function doubleOf(
  provider: ProviderName,
  behaviour: StoreBehaviour,
): Promise<StoreUnderTest> {
  const double = await startDouble({ behaviour });
  const bucketName = `contract-${provider}`;
  double.putBucket({ name: bucketName });
  const accountId = 'a'.repeat(32);
  return {
    origin: double.s3Endpoint,
    location: { provider, bucketName, region: behaviour.region ?? 'us-east-1', accountId },
    credentials: ADMIN,
    owner: ADMIN,
    oddKeys: [...ODD_KEYS, ...KEYS_BEYOND_FILES],
    refusesConditionalPut: behaviour.conditionalPut === 'refused',
    lacksOwnershipControls: behaviour.unsupported?.includes('GetBucketOwnershipControls') ?? false,
    keepsVersions: behaviour.versions === 'always',
    close: () => double.close(),
  };
}

describe('the object stores', () => {
  objectStoreContract('the AWS double', () => storeOf('aws', [...ODD_KEYS, ...KEYS_BEYOND_FILES]));
  objectStoreContract('the AWS double as r2', () => doubleOf('r2', R2_BEHAVIOUR));
  objectStoreContract('the AWS double as b2', () => doubleOf('b2', B2_BEHAVIOUR));
  objectStoreContract('the AWS double as wasabi', () => doubleOf('wasabi', {}));
  objectStoreContract('the AWS double as tigris', () => doubleOf('tigris', { region: 'auto' }));
  objectStoreContract('versitygw as r2', () => storeOf('r2', ODD_KEYS));
  objectStoreContract('versitygw as b2', () => storeOf('b2', ODD_KEYS));
});
