import { type Limits, throwIfAborted, withDeadline } from './deadline.ts';
import { StorageRoutingError } from './errors.ts';
import { connectionError, type OpenBody } from './transport.ts';

/** Far above any line of the service; a longer one comes from another server. */
const LONGEST_LINE_CHARACTERS = 1 << 20;

/** `timeoutMs` is the maximum time between two pieces. */
type Reading = Omit<Limits, 'requestId'>;

/**
 * Parses a body of JSON lines (https://github.com/ndjson/ndjson-spec) and yields each object on
 * arrival. Buffers at most one network piece and one line. Leaving the loop ends the request.
 *
 * @throws StorageRoutingError `connection_lost` if the body breaks off, also within a line;
 *   `timeout`, `aborted`; `invalid_response` for a line that is not a JSON object in UTF-8.
 */
export async function* readLines<Line>(opened: OpenBody, reading: Reading): AsyncGenerator<Line> {
  const { requestId, close } = opened;
  let unfinished = '';
  try {
    for await (const text of decodeText(opened, reading)) {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      if (unfinished.length > LONGEST_LINE_CHARACTERS) throw invalidLine(reading.what, requestId);
      for (const line of lines) {
        throwIfAborted(reading.signal, requestId);
        yield parsed(line, reading.what, requestId) as Line;
      }
    }
    // Every line ends with a newline: an unterminated line was cut off.
    if (unfinished !== '')
      throw connectionError(reading.what, requestId, new Error('a line was cut off'));
  } finally {
    close();
  }
}

async function* decodeText(
  { body, requestId }: OpenBody,
  { what, timeoutMs, signal }: Reading,
): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (;;) {
    const piece = await withDeadline({ signal, timeoutMs, what, requestId }, () =>
      reader.read().catch((error: unknown) => {
        throw connectionError(what, requestId, error);
      }),
    );
    yield decoded(decoder, piece.value, what, requestId);
    if (piece.done) return;
  }
}

/** A character may be split over two pieces: the decoder keeps its first bytes. */
function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array | undefined,
  what: string,
  requestId: string,
): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    // At the end, the remainder is an incomplete character.
    if (bytes === undefined)
      throw connectionError(what, requestId, new Error('a character was cut off'));
    throw invalidLine(what, requestId);
  }
}

function parsed(line: string, what: string, requestId: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below without the line, because it is the customer's data.
  }
  throw invalidLine(what, requestId);
}

function invalidLine(what: string, requestId: string): StorageRoutingError {
  const message = `${what}: a line that is not one of the service`;
  return new StorageRoutingError({ code: 'invalid_response', message, requestId });
}
