import { acceptance, integration, unit, type Statement } from '../statement.ts';

const FILE_PENDING =
  'A file that waits for its bytes is pending, with nulls where there is nothing yet';

export const UPLOAD_RESOURCES: readonly Statement[] = [
  {
    id: 'file.id',
    quote: '| File | `fileId` (UUID string, created by upload init).',
    says: '`fileId` is a UUID made by upload init.',
    heldBy: acceptance(
      'repeats',
      'A repeated init makes a new pending file each time, whatever Idempotency-Key it carries',
    ),
  },
  {
    id: 'file.status',
    quote: 'Status values `pending`, `active`.',
    says: 'A file is `pending` or `active`.',
    heldBy: acceptance(
      'file',
      FILE_PENDING,
      'A file that is active has a URL for an hour, made anew for each call',
    ),
  },
  {
    id: 'file.holds',
    quote: 'Holds the chosen provider, the object key on the provider',
    says: 'It holds provider, object key, expected size and routing decision.',
    heldBy: [
      ...acceptance('file', FILE_PENDING),
      ...acceptance('routing', 'Routing with aws, r2, b2 sends hot files to r2'),
      ...acceptance(
        'presigned-url',
        'The presigned URL of an upload names the object uploads/<fileId>/photo.png for "photo.png"',
      ),
      ...acceptance(
        'complete',
        'Upload complete does not take an object under another key for the right one',
      ),
    ],
  },
  {
    id: 'init-result.fields',
    quote: '| Upload init result | `fileId`, `presignedUrl`, `provider`, `savedVsAws`',
    says: 'Init answers `fileId`, `presignedUrl`, `provider`, `savedVsAws`.',
    heldBy: acceptance(
      'presigned-url',
      'The presigned URL of an upload comes with nothing that is not written down',
    ),
  },
  {
    id: 'init-result.saved-vs-aws',
    quote: 'fixed-point use in the SDK',
    says: '`savedVsAws` is a number; the SDK uses it as a fixed-point amount.',
    heldBy: [
      ...acceptance(
        'routing',
        'Routing costs at a real deployment what the owner of the service has worked out',
      ),
      ...unit(
        'sdk/money',
        'formatUsd gives back every amount of whole micro-dollars that a number holds',
        'formatUsd always has six decimals, no exponent, and is at most half a micro-dollar away',
      ),
    ],
  },
  {
    id: 'init-result.routing-warning',
    quote: '`routingWarning` (optional)',
    says: '`routingWarning` is there only where there is one.',
    heldBy: acceptance(
      'routing',
      'Routing with aws, r2, b2 sends hot files to r2',
      'Routing with b2 sends hot files to b2, with a warning',
    ),
  },
  {
    id: 'init-request.file-name',
    quote: '`fileName` (string)',
    says: '`fileName` is a string.',
    heldBy: acceptance(
      'init-validation',
      'Upload init takes fileName …',
      'Upload init refuses fileName …',
    ),
  },
  {
    id: 'init-request.content-type',
    quote: '`contentType` (string, media type)',
    says: '`contentType` is a media type.',
    heldBy: acceptance(
      'init-validation',
      'Upload init takes contentType …',
      'Upload init refuses contentType …',
    ),
  },
  {
    id: 'init-request.file-size',
    quote: '`fileSizeBytes` (integer, bytes)',
    says: '`fileSizeBytes` is an integer of bytes.',
    heldBy: acceptance(
      'init-validation',
      'Upload init takes fileSizeBytes …',
      'Upload init refuses fileSizeBytes …',
      'Upload init takes a whole number however it is written',
    ),
  },
  {
    id: 'init-request.priority',
    quote: 'values named by the routing rules: `hot`, `archive`, `cold`)',
    says: '`priority` is `hot`, `archive` or `cold`.',
    heldBy: acceptance(
      'init-validation',
      'Upload init takes priority …',
      'Upload init refuses priority …',
    ),
  },
  {
    id: 'credentials.provider',
    quote: '| Provider credentials | `provider` (string, identifies one of three kinds of store',
    says: '`provider` identifies one of three kinds of store.',
    heldBy: [
      ...acceptance(
        'providers',
        'Providers are shown as they were configured, but for the secrets: …',
      ),
      ...acceptance(
        'provider-validation',
        'What is refused of a provider is a provider that there is not',
      ),
    ],
  },
  {
    id: 'credentials.fields',
    quote: '`accessKeyId` (string), `secretAccessKey` (string, write-only secret), `bucketName`',
    says: 'Each of `accessKeyId`, `secretAccessKey`, `bucketName`, `region` is required and checked.',
    heldBy: acceptance(
      'provider-validation',
      'What is refused of a provider is a missing field, each of them: …',
      'What is refused of a provider is a bucket that is none: …',
    ),
  },
  {
    id: 'credentials.write-only',
    quote: '(string, write-only secret)',
    says: '`secretAccessKey` can be written, and never read.',
    heldBy: [
      ...acceptance(
        'providers',
        'Providers are shown as they were configured, but for the secrets: …',
      ),
      ...acceptance(
        'provider-validation',
        'What is refused of a provider is not said with the secrets that came with it',
      ),
      ...integration(
        'service/canary',
        'a secret is in no answer, but for an API key in the one that issues it',
      ),
    ],
  },
  {
    id: 'credentials.region-auto',
    quote: 'the edge store uses the value `auto`',
    says: "The edge store's `region` is `auto`.",
    heldBy: acceptance(
      'provider-validation',
      'What is taken of a provider is every region that it has: r2',
      'What is refused of a provider is a region that is none: r2',
    ),
  },
  {
    id: 'credentials.account-id',
    quote: '`accountId` (string; used for the edge store)',
    says: '`accountId` is required for the edge store, and refused elsewhere.',
    heldBy: acceptance(
      'provider-validation',
      'What is refused of a provider is a missing account id, where the provider needs one',
      'What is refused of a provider is an account id, where the provider has none',
    ),
  },
  {
    id: 'api-key.format',
    quote: 'Format `svc_live_<uuid>` or `svc_test_<uuid>`',
    says: 'A key is `svc_live_<uuid>` or `svc_test_<uuid>`.',
    heldBy: acceptance(
      'keys',
      'API keys are a random UUID behind the name of the mode that the service tells',
    ),
  },
  {
    id: 'api-key.one-active',
    quote: 'One active key per account',
    says: 'An account has one active key.',
    heldBy: [
      ...acceptance('keys', 'API keys leave exactly one that works after many rotations at once'),
      ...integration(
        'service/rotation',
        'the rotation of an API key leaves exactly one of two keys that were issued at the same time',
      ),
    ],
  },
  {
    id: 'api-key.rotation-invalidates',
    quote: 'rotating invalidates the previous key immediately',
    says: 'Rotating invalidates the previous key immediately.',
    heldBy: [
      ...acceptance(
        'keys',
        'API keys stop working with the answer to a rotation, however often they are tried',
      ),
      ...integration(
        'service/rotation',
        'the rotation of an API key lets no call in with the old key that was sent after the answer, on any of four processes',
      ),
    ],
  },
  {
    id: 'rotation-result.fields',
    quote: '| Rotation result | `newApiKey`',
    says: 'A rotation answers `newApiKey` and the timestamp `rotatedAt`.',
    heldBy: acceptance(
      'keys',
      'API keys are a random UUID behind the name of the mode that the service tells',
    ),
  },
];
