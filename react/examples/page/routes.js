import { createClient, StorageRoutingError } from '@storage-routing/client';

const storage = createClient({
  baseUrl: process.env['SRS_BASE_URL'] ?? '',
  apiKey: process.env['SRS_API_KEY'],
});

/** Which user started which file. Keep it in your database. */
const owners = /** @type {Map<string, string>} */ (new Map());

const MIB = 1024 * 1024;
const LARGEST_FILE_BYTES = 1024 * MIB;
/** A larger file is sent in parts, so that it can be resumed where it stopped. */
const LARGEST_SINGLE_BYTES = 16 * MIB;

/**
 * `POST /uploads`: check what this user may upload. The URLs accept exactly this type and size.
 *
 * @param {string} user
 * @param {{ fileName: string, contentType: string, fileSizeBytes: number }} body
 */
export async function startUpload(user, { fileName, contentType, fileSizeBytes }) {
  if (fileSizeBytes > LARGEST_FILE_BYTES) throw refusal(413, 'too_large', 'more than 1 GiB');
  const file = { fileName, contentType, fileSizeBytes };
  if (fileSizeBytes > LARGEST_SINGLE_BYTES) {
    const { fileId, multipart } = await storage.init({ ...file, multipart: true });
    owners.set(fileId, user);
    return { fileId, multipart };
  }
  const { fileId, presignedUrl, requiredHeaders } = await storage.init(file);
  owners.set(fileId, user);
  return { fileId, presignedUrl, requiredHeaders };
}

/**
 * `POST /uploads/:fileId/:call`: only for a file that this user has started.
 *
 * @param {string} user
 * @param {string} fileId
 * @param {string} call
 * @param {{ partNumbers?: number[] }} body
 */
export async function continueUpload(user, fileId, call, { partNumbers = [] }) {
  if (owners.get(fileId) !== user) throw refusal(404, 'file_not_found', 'no such upload');
  switch (call) {
    case 'complete':
      return await storage.complete(fileId);
    case 'url':
      return await storage.uploadUrl(fileId);
    case 'parts':
      return await storage.uploadParts(fileId, partNumbers);
    default:
      throw refusal(404, 'not_found', 'no such call');
  }
}

/**
 * The status and the body of the answer to a call that has failed.
 *
 * @param {unknown} error
 */
export function describeFailure(error) {
  if (!(error instanceof StorageRoutingError)) {
    return { status: 500, body: { code: 'internal', error: 'the server failed' } };
  }
  const { status = 502, code, message } = error;
  return { status, body: { code, error: message } };
}

/**
 * @param {number} status
 * @param {string} code
 * @param {string} message
 */
function refusal(status, code, message) {
  return new StorageRoutingError({ status, code, message });
}
