import { AwsError } from '../wire/errors.ts';
import type { Query } from '../wire/query.ts';

const MOST = 1000;
const MAX_INT = 2 ** 31 - 1;

/** `max-keys` and its like: at most 1,000 whatever is asked. @throws AwsError `InvalidArgument` */
export function readMost(query: Query, name: string): number {
  const text = query.get(name);
  if (text === undefined || text === '') return MOST;
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number <= MAX_INT) return Math.min(number, MOST);
  throw new AwsError('InvalidArgument', `Provided ${name} not an integer or within integer range`, {
    details: { ArgumentName: name, ArgumentValue: text },
  });
}

/** How keys are written in an answer. */
export type EncodeKey = (key: string) => string;

const PLAIN = /[^A-Za-z0-9\-._*/]/gu;

/**
 * With `encoding-type=url` keys come form-encoded: a blank as `+`, the slash as it is.
 * Source: ListObjectsV2, "EncodingType", Amazon S3 API Reference; the form is that of java.net.URLEncoder.
 *
 * @throws AwsError `InvalidArgument` for another encoding
 */
export function readEncoding(query: Query): EncodeKey {
  const type = query.get('encoding-type');
  if (type === undefined || type === '') return (key) => key;
  if (type !== 'url') {
    throw new AwsError('InvalidArgument', 'Invalid Encoding Method specified in Request', {
      details: { ArgumentName: 'encoding-type', ArgumentValue: type },
    });
  }
  return (key) =>
    key.replace(PLAIN, (character) => {
      if (character === ' ') return '+';
      return Buffer.from(character)
        .toString('hex')
        .toUpperCase()
        .replace(/../g, (hex) => `%${hex}`);
    });
}
