import { AwsError } from '../wire/errors.ts';
import {
  childText,
  element,
  parseXml,
  s3Document,
  textElement,
  type XmlNode,
} from '../wire/xml.ts';
import { xmlReply, type BucketCall, type Operation, type Reply } from './call.ts';
import { deleteKey, type DeletedKey } from './objects.ts';

/** Deletes up to 1,000 keys per request. */
export const bulkDeleteOperations: readonly Operation[] = [
  {
    name: 'DeleteObjects',
    level: 'bucket',
    method: 'POST',
    query: 'delete',
    action: null,
    run: deleteObjects,
  },
];

const MAX_KEYS = 1000;

async function deleteObjects(call: BucketCall): Promise<Reply> {
  requireIntegrity(call);
  const document = parseXml(await call.receiveText());
  const objects = document.children.filter(({ name }) => name === 'Object');
  if (document.name !== 'Delete' || objects.length === 0 || objects.length > MAX_KEYS) {
    throw new AwsError(
      'MalformedXML',
      'The XML you provided was not well-formed or did not validate against our published schema',
    );
  }
  const quiet = childText(document, 'Quiet') === 'true';
  const results: string[] = [];
  for (const object of objects) results.push(await deleteOne(call, object, quiet));
  return xmlReply(s3Document('DeleteResult', ...results));
}

function requireIntegrity(call: BucketCall): void {
  const names = [...call.request.headers.keys()];
  const has = names.some(
    (name) =>
      name === 'content-md5' || name === 'x-amz-trailer' || name.startsWith('x-amz-checksum-'),
  );
  if (has) return;
  throw new AwsError('InvalidRequest', 'Missing required header for this request: Content-MD5');
}

async function deleteOne(call: BucketCall, object: XmlNode, quiet: boolean): Promise<string> {
  const key = childText(object, 'Key') ?? '';
  const versionId = childText(object, 'VersionId');
  try {
    const deleted = await deleteKey(call, key, versionId);
    return quiet ? '' : deletedElement(key, versionId, deleted);
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return element(
      'Error',
      textElement('Key', key),
      ...(versionId === undefined ? [] : [textElement('VersionId', versionId)]),
      textElement('Code', error.code),
      textElement('Message', error.message),
    );
  }
}

function deletedElement(key: string, versionId: string | undefined, deleted: DeletedKey): string {
  const marker = deleted.marker && deleted.versionId !== null ? deleted.versionId : null;
  return element(
    'Deleted',
    textElement('Key', key),
    ...(versionId === undefined ? [] : [textElement('VersionId', versionId)]),
    ...(marker === null
      ? []
      : [textElement('DeleteMarker', true), textElement('DeleteMarkerVersionId', marker)]),
  );
}
