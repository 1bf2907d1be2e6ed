import { checkLifecycleDocument, LIFECYCLE_MINIMUM } from '../lifecycle/rules.ts';
import { readPolicy } from '../identity/policy.ts';
import { AwsError, type AwsErrorCode } from '../wire/errors.ts';
import { element, parseXml, s3Document, textElement } from '../wire/xml.ts';
import { ownerElement } from './buckets.ts';
import { checkCorsDocument } from './cors.ts';
import { emptyReply, xmlReply, type BucketCall, type Operation, type Reply } from './call.ts';

/** What a bucket answers that has no such setting: a code of 404, or a document that says nothing. */
type Absent =
  { readonly code: AwsErrorCode; readonly message: string } | { readonly document: string };

/** A setting of a bucket: a document that is kept as it came and given back. */
interface Setting {
  readonly query: string;
  /** The operation's name without Get, Put and Delete. */
  readonly name: string;
  /** The IAM action without `s3:Get` and `s3:Put`. */
  readonly permission: string;
  /** The name of the document's outermost element; null: it is not XML. */
  readonly root: string | null;
  readonly absent: Absent;
  /** Whether it may be set through the API; otherwise by the control only. */
  readonly writable: boolean;
}

const MINIMUM_HEADER = 'x-amz-transition-default-minimum-object-size';
const DEFAULT_MINIMUM = 'all_storage_classes_128K';

const NO_LIFECYCLE = 'The lifecycle configuration does not exist';
const NO_ENCRYPTION = 'The server side encryption configuration was not found';
const NO_POLICY = 'The bucket policy does not exist';
const NO_CORS = 'The CORS configuration does not exist';
const NO_OWNERSHIP = 'The bucket ownership controls were not found';
const NO_BLOCK = 'The public access block configuration was not found';
const NO_LOCK = 'Object Lock configuration does not exist for this bucket';
const NO_REPLICATION = 'The replication configuration was not found';
const NO_WEBSITE = 'The specified bucket does not have a website configuration';

// Names, permissions and codes: Amazon S3 API Reference, the page of each operation.
const SETTINGS: readonly Setting[] = [
  writable('lifecycle', 'BucketLifecycleConfiguration', 'LifecycleConfiguration', {
    root: 'LifecycleConfiguration',
    absent: { code: 'NoSuchLifecycleConfiguration', message: NO_LIFECYCLE },
  }),
  writable('encryption', 'BucketEncryption', 'EncryptionConfiguration', {
    root: 'ServerSideEncryptionConfiguration',
    absent: { code: 'ServerSideEncryptionConfigurationNotFoundError', message: NO_ENCRYPTION },
  }),
  writable('policy', 'BucketPolicy', 'BucketPolicy', {
    root: null,
    absent: { code: 'NoSuchBucketPolicy', message: NO_POLICY },
  }),
  writable('cors', 'BucketCors', 'BucketCORS', {
    root: 'CORSConfiguration',
    absent: { code: 'NoSuchCORSConfiguration', message: NO_CORS },
  }),
  writable('ownershipControls', 'BucketOwnershipControls', 'BucketOwnershipControls', {
    root: 'OwnershipControls',
    absent: { code: 'OwnershipControlsNotFoundError', message: NO_OWNERSHIP },
  }),
  writable('publicAccessBlock', 'PublicAccessBlock', 'BucketPublicAccessBlock', {
    root: 'PublicAccessBlockConfiguration',
    absent: { code: 'NoSuchPublicAccessBlockConfiguration', message: NO_BLOCK },
  }),
  readable('object-lock', 'ObjectLockConfiguration', 'BucketObjectLockConfiguration', {
    code: 'ObjectLockConfigurationNotFoundError',
    message: NO_LOCK,
  }),
  readable('replication', 'BucketReplication', 'ReplicationConfiguration', {
    code: 'ReplicationConfigurationNotFoundError',
    message: NO_REPLICATION,
  }),
  readable('website', 'BucketWebsite', 'BucketWebsite', {
    code: 'NoSuchWebsiteConfiguration',
    message: NO_WEBSITE,
  }),
  readable('accelerate', 'BucketAccelerateConfiguration', 'AccelerateConfiguration', {
    document: s3Document('AccelerateConfiguration'),
  }),
  readable('logging', 'BucketLogging', 'BucketLogging', {
    document: s3Document('BucketLoggingStatus'),
  }),
  readable('requestPayment', 'BucketRequestPayment', 'BucketRequestPayment', {
    document: s3Document('RequestPaymentConfiguration', textElement('Payer', 'BucketOwner')),
  }),
  readable('notification', 'BucketNotificationConfiguration', 'BucketNotification', {
    document: s3Document('NotificationConfiguration'),
  }),
  readable(
    'intelligent-tiering',
    'BucketIntelligentTieringConfigurations',
    'IntelligentTieringConfiguration',
    {
      document: s3Document(
        'ListBucketIntelligentTieringConfigurationsOutput',
        textElement('IsTruncated', false),
      ),
    },
  ),
  readable('inventory', 'BucketInventoryConfigurations', 'InventoryConfiguration', {
    document: s3Document('ListInventoryConfigurationsResult', textElement('IsTruncated', false)),
  }),
];

function writable(
  query: string,
  name: string,
  permission: string,
  rest: Pick<Setting, 'root' | 'absent'>,
): Setting {
  return { query, name, permission, ...rest, writable: true };
}

function readable(query: string, name: string, permission: string, absent: Absent): Setting {
  return { query, name, permission, root: null, absent, writable: false };
}

/** The settings of buckets. */
export const settingOperations: readonly Operation[] = [
  ...SETTINGS.flatMap(operationsOf),
  {
    name: 'GetBucketAcl',
    level: 'bucket',
    method: 'GET',
    query: 'acl',
    action: 's3:GetBucketAcl',
    run: ({ bucket }) => xmlReply(ownerOnly(bucket.accountId)),
  },
  {
    name: 'GetObjectRetention',
    level: 'object',
    method: 'GET',
    query: 'retention',
    action: 's3:GetObjectRetention',
    run: refuseLock,
  },
  {
    name: 'GetObjectLegalHold',
    level: 'object',
    method: 'GET',
    query: 'legal-hold',
    action: 's3:GetObjectLegalHold',
    run: refuseLock,
  },
];

function operationsOf(setting: Setting): readonly Operation[] {
  const { query, name, permission } = setting;
  const get: Operation = {
    // Configurations that a bucket has many of are listed, not got.
    name: `${name.endsWith('Configurations') ? 'List' : 'Get'}${name}`,
    level: 'bucket',
    method: 'GET',
    query,
    action: `s3:Get${permission}`,
    run: (call) => getSetting(call, setting),
  };
  if (!setting.writable) return [get];
  const remove = name === 'BucketLifecycleConfiguration' ? 'BucketLifecycle' : name;
  return [
    get,
    {
      name: `Put${name}`,
      level: 'bucket',
      method: 'PUT',
      query,
      action: `s3:Put${permission}`,
      run: (call) => putSetting(call, setting),
    },
    {
      name: `Delete${remove}`,
      level: 'bucket',
      method: 'DELETE',
      query,
      // Only policies have a permission of their own for this.
      action: query === 'policy' ? 's3:DeleteBucketPolicy' : `s3:Put${permission}`,
      run: ({ bucket }) => {
        bucket.settings.delete(query);
        return emptyReply(204);
      },
    },
  ];
}

function getSetting({ bucket }: BucketCall, setting: Setting): Reply {
  const document = bucket.settings.get(setting.query);
  if (document !== undefined) {
    const contentType = setting.query === 'policy' ? 'application/json' : 'application/xml';
    const headers =
      setting.query === 'lifecycle'
        ? { [MINIMUM_HEADER]: bucket.settings.get(LIFECYCLE_MINIMUM) ?? DEFAULT_MINIMUM }
        : {};
    return { status: 200, headers, body: { kind: 'text', text: document, contentType } };
  }
  if ('document' in setting.absent) return xmlReply(setting.absent.document);
  throw new AwsError(setting.absent.code, setting.absent.message, {
    details: { BucketName: bucket.name },
  });
}

async function putSetting(call: BucketCall, setting: Setting): Promise<Reply> {
  const document = await call.receiveText();
  if (setting.root === null) {
    if (readPolicy(document) === null) {
      throw new AwsError('MalformedPolicy', 'Policies must be valid JSON');
    }
  } else if (parseXml(document).name !== setting.root) {
    throw new AwsError(
      'MalformedXML',
      'The XML you provided was not well-formed or did not validate against our published schema',
    );
  }
  if (setting.query === 'cors') checkCorsDocument(document);
  if (setting.query === 'lifecycle') {
    checkLifecycleDocument(document);
    // A request without the header sets the default again.
    const minimum = call.request.headers.get(MINIMUM_HEADER) ?? DEFAULT_MINIMUM;
    call.bucket.settings.set(LIFECYCLE_MINIMUM, minimum);
  }
  call.bucket.settings.set(setting.query, document);
  return emptyReply(setting.query === 'policy' ? 204 : 200);
}

function ownerOnly(accountId: string): string {
  const owner = ownerElement(accountId);
  const grantee = owner
    .replace(
      '<Owner>',
      '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">',
    )
    .replace('</Owner>', '</Grantee>');
  const grant = element('Grant', grantee, textElement('Permission', 'FULL_CONTROL'));
  return s3Document('AccessControlPolicy', owner, element('AccessControlList', grant));
}

function refuseLock(): Reply {
  throw new AwsError(
    'NoSuchObjectLockConfiguration',
    'The specified object does not have a ObjectLock configuration',
  );
}
