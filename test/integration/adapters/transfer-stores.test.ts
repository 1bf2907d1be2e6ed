import type { ProviderName } from '../../../domain/provider/catalogue.ts';
import {
  transferStoreContract,
  type TransferStoreUnderTest,
} from '../../contract/transfer-store.ts';
import { localServers } from '../../servers.ts';

const ODD_KEYS = [
  'a b',
  'a+b',
  "'()*!",
  '%41',
  'A',
  '日本語/é/😀',
  '&=?#;,:@$',
  '<>"\\^`{|}',
  'x'.repeat(250),
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

async function storeOf(
  provider: ProviderName,
  oddKeys: string[],
  aclsMatter: boolean | undefined,
): Promise<TransferStoreUnderTest> {
  const { environment } = (await localServers()).stack;
  const read = (name: string) => environment[name] ?? '';
  const prefix = `STORE_${provider.toUpperCase()}`;
  return {
    origin: read(`PROVIDER_ENDPOINT_${provider.toUpperCase()}`),
    location: {
      provider,
      bucketName: read(`${prefix}_BUCKET`),
      region: read(`${prefix}_REGION`),
      ...(provider === 'r2' ? { accountId: read('STORE_R2_ACCOUNT_ID') } : {}),
    },
    credentials: {
      accessKeyId: read(`${prefix}_ACCESS_KEY_ID`),
      secretAccessKey: read(`${prefix}_SECRET_ACCESS_KEY`),
    },
    oddKeys,
    aclsMatter,
  };
}

describe('the transfer stores', () => {
  transferStoreContract('the AWS double', () =>
    storeOf('aws', [...ODD_KEYS, ...KEYS_BEYOND_FILES], true),
  );
  transferStoreContract('versitygw as r2', () => storeOf('r2', ODD_KEYS, true));
  transferStoreContract('versitygw as b2', () => storeOf('b2', ODD_KEYS, true));
});
