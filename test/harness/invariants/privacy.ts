import type { StoredFile } from './files.ts';
import { violationOf, type Evidence, type Violation } from './invariant.ts';

/** What a secret looks like, wherever it comes from. */
const SECRET_FORMS: Readonly<Record<string, RegExp>> = {
  'an API key': /svc_(?:test|live)_[0-9a-f]{8}-/,
  'a token': /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  'a presigned URL': /X-Amz-(?:Signature|Credential)/i,
};
/** A shorter key or file name is found in texts that have nothing to do with it. */
const SHORTEST_NAME = 6;

interface StoredPage {
  readonly entries: readonly { readonly key: string }[];
}

/** `privacy`: reads every history of the namespace, and the logs. */
export async function checkPrivacy(
  { db, temporal, readLogs, secrets }: Evidence,
  files: readonly StoredFile[],
): Promise<Violation[]> {
  const names = files.flatMap(({ fileName, objectKey }) => [fileName, objectKey]);
  for await (const { entries } of db.collection<StoredPage>('manifestPages').find())
    names.push(...entries.map(({ key }) => key));
  const needles = [
    ...secrets.filter((secret) => secret !== ''),
    ...new Set(names.filter((name) => name !== undefined && name.length >= SHORTEST_NAME)),
  ];
  const ids: string[] = [];
  const search = (where: string, text: string) => {
    for (const [form, pattern] of Object.entries(SECRET_FORMS))
      if (pattern.test(text)) ids.push(`${where}: ${form}`);
    const found = needles.find((needle) => text.includes(needle));
    if (found !== undefined) ids.push(`${where}: ${found}`);
  };
  for (const log of await readLogs()) search('log', log);
  for await (const { workflowId, runId } of temporal.workflow.list()) {
    const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    search(workflowId, [...textsOf(history)].join('\n'));
  }
  return violationOf('privacy', ids);
}

/** Every text of a history, those inside of payloads included. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (value instanceof Uint8Array) yield Buffer.from(value).toString('utf8');
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* textsOf(part);
}
