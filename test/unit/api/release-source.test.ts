import assert from 'node:assert/strict';
import { releaseSource } from '../../../operations/migrations/release-source.ts';
import type { ApprovedRecommendation } from '../../../adapters/mongo/recommendations/recommendations.ts';
import type { EndpointOverrides } from '../../../adapters/object-store/address.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { releaseHowTo } from '../../../domain/migrations/release-how-to.ts';
import type { Release } from '../../../domain/migrations/release.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import { catalogue, endpointsAt } from '../../harness/catalogue.ts';

const R2 = { provider: 'r2', bucketName: 'photos', region: 'auto', accountId: '0a1b2c' } as const;

/** What a migration of this source is told, with what its store was measured to do at a place. */
function howToOf(
  source: StoreLocation,
  { measuredAt, versioned = false, overrides = {} }: Asked = {},
) {
  const stored = measuredAt && {
    location: measuredAt,
    capabilities: { conditionalDelete: true },
  };
  const account = { providers: stored ? { [source.provider]: stored } : {} } as unknown as Account;
  const approved = {
    approval: { source },
    selector: { prefix: 'a/' },
  } as unknown as ApprovedRecommendation;
  const deps = { catalogue, findEndpoint: endpointsAt(overrides) };
  const found = releaseSource(deps, account, approved);
  assert.ok(found);
  const release = { migrationId: 'm', objects: 2, bytes: 10, versioned } as unknown as Release;
  const { summary, commands } = releaseHowTo(release, found);
  return { summary, script: commands.join('\n') };
}

interface Asked {
  readonly measuredAt?: StoreLocation;
  readonly versioned?: boolean | null;
  readonly overrides?: EndpointOverrides;
}

describe('the commands of a release', () => {
  for (const [source, endpoint, region, style] of [
    [R2, 'https://0a1b2c.r2.cloudflarestorage.com', 'auto', 'virtual'],
    [
      { ...R2, jurisdiction: 'eu' },
      'https://0a1b2c.eu.r2.cloudflarestorage.com',
      'auto',
      'virtual',
    ],
    [at('b2', 'us-west-004'), 'https://s3.us-west-004.backblazeb2.com', 'us-west-004', 'virtual'],
    [at('aws', 'eu-west-1'), 'https://s3.eu-west-1.amazonaws.com', 'eu-west-1', 'virtual'],
    // A dot in a bucket's name would not fit the certificate.
    [
      { ...at('aws', 'eu-west-1'), bucketName: 'a.b' },
      'https://s3.eu-west-1.amazonaws.com',
      'eu-west-1',
      'path',
    ],
  ] satisfies [StoreLocation, string, string, string][])
    it(`reach ${source.bucketName} of ${source.provider} at ${endpoint}, in ${style} style`, () => {
      const { script } = howToOf(source, { versioned: true });
      assert.ok(script.includes(`aws configure set s3.addressing_style ${style}\n`));
      for (const line of script.split('\n').filter((each) => /aws s3api|place=/.test(each)))
        if (!line.includes('"${place[@]}"'))
          assert.ok(
            line.includes(`--endpoint-url ${endpoint} `) || line.endsWith(`${endpoint})`),
            line,
          );
      assert.ok(script.includes(`--region ${region} `));
    });

  it('reach the operator’s address in place of the store’s own, by paths', () => {
    const overrides = { b2: 'http://127.0.0.1:7070' };
    const { script } = howToOf(at('b2', 'us-west-004'), { overrides });
    assert.match(script, /--endpoint-url http:\/\/127\.0\.0\.1:7070 /);
    assert.match(script, /addressing_style path/);
  });

  it('are conditional at AWS, and elsewhere where that was measured in this bucket', () => {
    assert.match(howToOf(at('aws', 'us-east-1')).script, /delete-objects/);
    const measured = howToOf(R2, { measuredAt: R2 });
    assert.doesNotMatch(measured.script, /delete-objects|head-object/);
    for (const measuredAt of [
      undefined,
      { ...R2, accountId: 'ffff' },
      { ...R2, bucketName: 'other' },
    ]) {
      const { script, summary } = howToOf(R2, measuredAt && { measuredAt });
      assert.match(script, /head-object/);
      assert.match(summary, /Cloudflare R2 was not measured .*a write between the two is not seen/);
    }
  });

  for (const [provider, region, expected] of [
    [
      'aws',
      'us-east-1',
      /At the end a lifecycle rule is added.* below a\/ 30 days.*MFA.*s3:PutLifecycle/,
    ],
    ['wasabi', 'us-east-1', /At the end a lifecycle rule is added.*a key of Wasabi that may list/],
    ['b2', 'us-west-004', /`daysFromHidingToDeleting`.*listFiles, readFiles, writeFiles/],
    ['tigris', 'auto', /Tigris has no lifecycle rule that deletes hidden versions/],
  ] as const)
    it(`say what becomes of old versions at ${provider}`, () => {
      const { summary, script } = howToOf(at(provider, region), { versioned: true });
      assert.match(summary, expected);
      const hasRule = provider === 'aws' || provider === 'wasabi';
      assert.equal(script.includes('put-bucket-lifecycle-configuration'), hasRule);
      const without = howToOf(at(provider, region));
      assert.doesNotMatch(without.summary + without.script, /versions|lifecycle/);
      assert.match(howToOf(at(provider, region), { versioned: null }).summary, /could not be read/);
    });
});

function at(provider: string, region: string): StoreLocation {
  return { provider, bucketName: 'photos', region };
}
