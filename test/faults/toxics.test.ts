import { localServers, startIsolatedService } from '../servers.ts';
import { isLongForm } from '../long-form.ts';
import { itInLanes } from '../harness/side-by-side.ts';
import { openStripeProxy, STRIPE_SETTINGS, type StripeProxy } from '../harness/stripe-proxy.ts';
import { openToxiproxy, TOXICS, type ProxiedServer, type ToxicName } from '../harness/toxiproxy.ts';
import { createLane, type Lane } from './toxics-fixtures/lane.ts';

const TITLES = {
  mongodb: 'MongoDB',
  temporal: 'Temporal',
  identity: 'the identity provider',
  stores: 'the stores, STS and Stripe',
} as const;
type Dependency = keyof typeof TITLES;
const DEPENDENCIES = Object.keys(TITLES) as Dependency[];
const TOXIC_NAMES = Object.keys(TOXICS) as ToxicName[];

/**
 * The API and a worker behind a proxy to each dependency. Each lane has a service of its own, and the
 * lanes run side by side; in the last one a call needs one of its three dependencies at most.
 */
describe('a network with', function () {
  this.timeout(600_000);
  let stripe: StripeProxy;
  const lanes = {} as Record<Dependency, Lane>;

  before(async () => {
    const { stack } = await localServers();
    const proxies = await openToxiproxy(stack);
    stripe = await openStripeProxy(stack);
    const address = (name: string) => stack.environment[name] ?? '';
    const behind = async (lane: string, url: string) => {
      const proxied = await proxies.open(lane, new URL(url).host);
      return { proxied, url: url.replace(new URL(url).host, proxied.host) };
    };
    const [mongodb, jwks, aws, r2, sts, payments] = await Promise.all([
      behind('mongodb', address('MONGODB_URI')),
      behind('jwks', address('JWT_JWKS_URL')),
      behind('aws', address('PROVIDER_ENDPOINT_AWS')),
      behind('r2', address('PROVIDER_ENDPOINT_R2')),
      behind('sts', address('STS_ENDPOINT')),
      behind('stripe', stripe.url),
    ]);
    const temporal = await proxies.open('temporal', address('TEMPORAL_ADDRESS'));
    const start = async (
      dependency: Dependency,
      poisoned: readonly ProxiedServer[],
      environment: Record<string, string>,
    ) => {
      const common = { ...SETTINGS, STRIPE_API_URL: stripe.url, ...environment };
      const isolated = await startIsolatedService({ environment: common });
      lanes[dependency] = await createLane({ ...isolated, dependency, poisoned });
    };
    await start('mongodb', [mongodb.proxied], { MONGODB_URI: mongodb.url });
    await start('temporal', [temporal], { TEMPORAL_ADDRESS: temporal.host });
    await start('identity', [jwks.proxied], { JWT_JWKS_URL: jwks.url });
    await start('stores', [aws.proxied, r2.proxied, sts.proxied, payments.proxied], {
      PROVIDER_ENDPOINT_AWS: aws.url,
      PROVIDER_ENDPOINT_R2: r2.url,
      STS_ENDPOINT: sts.url,
      STRIPE_API_URL: payments.url,
    });
  });
  after(async () => {
    await Promise.all(Object.values(lanes).map((lane) => lane.stop()));
    await stripe?.close();
  });

  /** The short form tries each toxic on two of the four dependencies. */
  const isTried = (dependency: Dependency, toxic: ToxicName) =>
    isLongForm || (DEPENDENCIES.indexOf(dependency) + TOXIC_NAMES.indexOf(toxic)) % 2 === 0;
  const underEachToxic = (dependency: Dependency) =>
    Object.fromEntries(
      TOXIC_NAMES.filter((toxic) => isTried(dependency, toxic)).map((toxic) => [
        `${toxic} to ${TITLES[dependency]}: bounded calls with the right codes, and soon all is well`,
        () => lanes[dependency].endure(toxic),
      ]),
    );
  itInLanes(...DEPENDENCIES.map(underEachToxic));

  for (const dependency of DEPENDENCIES)
    it(`trouble to ${TITLES[dependency]} leaves no crash, no leak, and every invariant intact`, () =>
      lanes[dependency].assertSound());
});

/** The windows of the uploads close within the suite. */
const SETTINGS = {
  DEFAULT_PLAN: 'growth',
  WORKER_QUEUES: 'uploads,scans',
  UPLOAD_URL_SECONDS: '60',
  UPLOAD_GRACE_SECONDS: '5',
  ...STRIPE_SETTINGS,
};
