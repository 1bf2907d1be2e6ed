import type { Statement } from '../statement.ts';

export const UPLOAD_RESOURCES: readonly Statement[] = [
  {
    id: 'file.id',
    quote: '| File | `fileId` (UUID string, created by upload init).',
    says: '`fileId` is a UUID made by upload init.',
  },
  {
    id: 'file.status',
    quote: 'Status values `pending`, `active`.',
    says: 'A file is `pending` or `active`.',
  },
  {
    id: 'file.holds',
    quote: 'Holds the chosen provider, the object key on the provider',
    says: 'It holds provider, object key, expected size and routing decision.',
  },
  {
    id: 'init-result.fields',
    quote: '| Upload init result | `fileId`, `presignedUrl`, `provider`, `savedVsAws`',
    says: 'Init answers `fileId`, `presignedUrl`, `provider`, `savedVsAws`.',
  },
  {
    id: 'init-result.saved-vs-aws',
    quote: 'fixed-point use in the SDK',
    says: '`savedVsAws` is a number; the SDK uses it as a fixed-point amount.',
  },
  {
    id: 'init-result.routing-warning',
    quote: '`routingWarning` (optional)',
    says: '`routingWarning` is there only where there is one.',
  },
  { id: 'init-request.file-name', quote: '`fileName` (string)', says: '`fileName` is a string.' },
  {
    id: 'init-request.content-type',
    quote: '`contentType` (string, media type)',
    says: '`contentType` is a media type.',
  },
  {
    id: 'init-request.file-size',
    quote: '`fileSizeBytes` (integer, bytes)',
    says: '`fileSizeBytes` is an integer of bytes.',
  },
  {
    id: 'init-request.priority',
    quote: 'values named by the routing rules: `hot`, `archive`, `cold`)',
    says: '`priority` is `hot`, `archive` or `cold`.',
  },
  {
    id: 'credentials.provider',
    quote: '| Provider credentials | `provider` (string, identifies one of three kinds of store',
    says: '`provider` identifies one of three kinds of store.',
  },
  {
    id: 'credentials.fields',
    quote: '`accessKeyId` (string), `secretAccessKey` (string, write-only secret), `bucketName`',
    says: 'Each of `accessKeyId`, `secretAccessKey`, `bucketName`, `region` is required and checked.',
  },
  {
    id: 'credentials.write-only',
    quote: '(string, write-only secret)',
    says: '`secretAccessKey` can be written, and never read.',
  },
  {
    id: 'credentials.region-auto',
    quote: 'the edge store uses the value `auto`',
    says: "The edge store's `region` is `auto`.",
  },
  {
    id: 'credentials.account-id',
    quote: '`accountId` (string; used for the edge store)',
    says: '`accountId` is required for the edge store, and refused elsewhere.',
  },
  {
    id: 'api-key.format',
    quote: 'Format `svc_live_<uuid>` or `svc_test_<uuid>`',
    says: 'A key is `svc_live_<uuid>` or `svc_test_<uuid>`.',
  },
  {
    id: 'api-key.one-active',
    quote: 'One active key per account',
    says: 'An account has one active key.',
  },
  {
    id: 'api-key.rotation-invalidates',
    quote: 'rotating invalidates the previous key immediately',
    says: 'Rotating invalidates the previous key immediately.',
  },
  {
    id: 'rotation-result.fields',
    quote: '| Rotation result | `newApiKey`',
    says: 'A rotation answers `newApiKey` and the timestamp `rotatedAt`.',
  },
];
