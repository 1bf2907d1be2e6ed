import assert from 'node:assert/strict';
import { createValidate } from '../../../api/http/validation.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { call } from '../../harness/customer.ts';
import { localService } from '../../servers.ts';
import { addressOf, createAttacker, nameOf, ROUTES, type Attacker } from './attack.ts';

const BODY_BYTES = 64 * 1024;
/** Of one body on a machine with other work; a quadratic check takes seconds. */
const MOST_CHECK_MS = 250;

/** Of a page. Part numbers go up to 10,000: what is beyond the range is 400 as well. */
const NO_NUMBERS = ['', '-1', '010', '+1', '5.0', '1e3', '10001', '0x10', 'NaN', '1,2'].concat(
  '2147483648',
  '9007199254740993',
);

function propertiesOf({ body }: (typeof ROUTES)[number]): readonly string[] {
  const schema: { properties?: object } | undefined = body;
  return Object.keys(schema?.properties ?? {});
}

/** The largest values that fit a body: long texts, many items, many fields, deep ones. */
const LARGE: Readonly<Record<string, (properties: readonly string[]) => string>> = {
  'long texts': (names) => object(names, JSON.stringify('a'.repeat(BODY_BYTES / 2))),
  'texts that almost fit a pattern': (names) =>
    object(names, JSON.stringify(`arn:aws:iam::111122223333:role/${'/'.repeat(20_000)}!`)),
  'many equal items': (names) => object(names, `[${'1,'.repeat(20_000)}1]`),
  'many different items': (names) =>
    object(names, JSON.stringify(Array.from({ length: 7_000 }, (_, index) => `r-${index}`))),
  'many objects': (names) => object(names, `[${'{},'.repeat(15_000)}{}]`),
  'many fields': () =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at]))),
  'deep lists': (names) => object(names, '['.repeat(20_000) + ']'.repeat(20_000)),
  'deep objects': (names) => object(names, '{"a":'.repeat(9_000) + '1' + '}'.repeat(9_000)),
  'a long number': (names) => object(names, '9'.repeat(60_000)),
};

/** The first property that takes most of the body, so that each is tried by itself. */
function object(names: readonly string[], value: string): string {
  return `{${JSON.stringify(names[0] ?? 'x')}:${value}}`;
}

describe('API4: what one caller can use up', () => {
  let someone: Attacker;
  let baseUrl: string;
  before(async () => {
    ({ baseUrl } = await localService());
    someone = await createAttacker();
  });

  for (const route of ROUTES.filter(({ body, signed }) => body && !signed)) {
    it(`is bounded by the size of a body, not its square, at ${nameOf(route)}`, () => {
      const validate = createValidate();
      const { body: schema } = route;
      assert.ok(schema);
      const fields = propertiesOf(route);
      for (const field of fields.length > 0 ? fields : ['x'])
        for (const [what, write] of Object.entries(LARGE)) {
          const text = write([field]);
          assert.ok(text.length <= BODY_BYTES, what);
          // The first call compiles the schema.
          const costs = Array.from({ length: 3 }, () => {
            const before = process.cpuUsage();
            try {
              validate(schema, JSON.parse(text));
            } catch (error) {
              assert.ok(error instanceof AppError && error.code === 'invalid_request');
              assert.ok((error.details ?? []).length <= 20);
            }
            return process.cpuUsage(before).user / 1_000;
          });
          const ms = Math.min(...costs);
          assert.ok(ms < MOST_CHECK_MS, `${field}: ${what} took ${ms} ms of a processor`);
        }
    });
  }

  for (const route of ROUTES.filter(({ query }) => query)) {
    it(`is bounded by the largest page of ${nameOf(route)}`, async () => {
      const { properties = {} } = route.query as { properties?: Record<string, { type?: string }> };
      for (const [name] of Object.entries(properties).filter(([, { type }]) => type === 'integer'))
        for (const value of NO_NUMBERS) {
          const bearer = route.auth === 'apiKey' ? someone.apiKey : someone.token;
          const path = `${addressOf(route, {})}?${name}=${value}`;
          const { status, text } = await call(baseUrl, `GET ${path}`, { bearer });
          assert.equal(status, 400, `${name}=${value}: ${text}`);
        }
    });
  }
});
