import { AwsError } from '../wire/errors.ts';
import { child, childrenNamed, childText, parseXml, type XmlNode } from '../wire/xml.ts';
import type { Tag } from './version.ts';

/**
 * The setting of a bucket, next to its rules, of the size below which objects are not changed by
 * rules without a bound of their own.
 */
export const LIFECYCLE_MINIMUM = 'lifecycle-minimum';

/** Days after an event, or a date in milliseconds. */
export type When = { readonly days: number } | { readonly dateMs: number };

/** What a rule does, and to which objects. */
export interface LifecycleRule {
  readonly isEnabled: boolean;
  readonly prefix: string;
  readonly tags: readonly Tag[];
  /** Exclusive bounds, null without one. */
  readonly largerThan: number | null;
  readonly smallerThan: number | null;
  readonly transitions: readonly { readonly when: When; readonly storageClass: string }[];
  readonly expiration: When | null;
  readonly expiresDeleteMarkers: boolean;
  readonly noncurrentDays: number | null;
  readonly newerNoncurrentVersions: number;
  readonly abortUploadsDays: number | null;
}

const MAX_RULES = 1000;
const MIN_DAYS: Readonly<Record<string, number>> = { STANDARD_IA: 30, ONEZONE_IA: 30 };
const ACTION =
  /^(?:Transition|Expiration|NoncurrentVersion(?:Expiration|Transition)|AbortIncompleteMultipartUpload)$/;

/** The rules of a document, in its order. */
export function readLifecycleRules(document: string): readonly LifecycleRule[] {
  return childrenNamed(parseXml(document), 'Rule').map(readRule);
}

/**
 * Refuses what S3 refuses.
 *
 * Source: "PutBucketLifecycleConfiguration", Amazon S3 API Reference; "Lifecycle configuration
 * elements", Amazon S3 User Guide.
 *
 * @throws AwsError `MalformedXML`, `InvalidArgument`, `InvalidRequest`
 */
export function checkLifecycleDocument(document: string): void {
  const nodes = childrenNamed(parseXml(document), 'Rule');
  if (nodes.length === 0 || nodes.length > MAX_RULES) throw new AwsError('MalformedXML');
  for (const node of nodes) checkRule(node);
  if (nodes.some((node) => child(node, 'Prefix')) && nodes.some((node) => child(node, 'Filter'))) {
    const message = 'Found mixed formats in the lifecycle configuration.';
    throw new AwsError('InvalidRequest', { message });
  }
  const ids = nodes.flatMap((node) => childText(node, 'ID') ?? []);
  if (new Set(ids).size < ids.length) {
    throw new AwsError('InvalidArgument', { message: 'Rule ID must be unique.' });
  }
}

function checkRule(node: XmlNode): void {
  const filter = child(node, 'Filter');
  const and = child(filter ?? node, 'And');
  const hasOneForm = (child(node, 'Prefix') === undefined) === (filter !== undefined);
  const hasStatus = ['Enabled', 'Disabled'].includes(childText(node, 'Status') ?? '');
  if (!hasOneForm || !hasStatus || (and !== undefined && and.children.length < 2)) {
    throw new AwsError('MalformedXML');
  }
  if (!node.children.some(({ name }) => ACTION.test(name))) {
    const message = 'At least one action needs to be specified in a rule';
    throw new AwsError('InvalidRequest', { message });
  }
  for (const { when, storageClass } of readRule(node).transitions) {
    const least = MIN_DAYS[storageClass] ?? 0;
    if (!('days' in when) || when.days >= least) continue;
    const message = `'Days' in Transition action must be greater than or equal to ${least} for storageClass '${storageClass}'`;
    throw new AwsError('InvalidArgument', { message });
  }
}

function readRule(node: XmlNode): LifecycleRule {
  const filter = child(node, 'Filter');
  const conditions = (filter && child(filter, 'And')) ?? filter ?? node;
  const expiration = child(node, 'Expiration');
  const noncurrent = child(node, 'NoncurrentVersionExpiration');
  return {
    isEnabled: childText(node, 'Status') === 'Enabled',
    prefix: childText(conditions, 'Prefix') ?? '',
    tags: childrenNamed(conditions, 'Tag').map((tag) => ({
      key: childText(tag, 'Key') ?? '',
      value: childText(tag, 'Value') ?? '',
    })),
    largerThan: readNumber(conditions, 'ObjectSizeGreaterThan'),
    smallerThan: readNumber(conditions, 'ObjectSizeLessThan'),
    transitions: childrenNamed(node, 'Transition').flatMap((transition) => {
      const when = readWhen(transition);
      return when ? [{ when, storageClass: childText(transition, 'StorageClass') ?? '' }] : [];
    }),
    expiration: readWhen(expiration),
    expiresDeleteMarkers:
      expiration !== undefined && childText(expiration, 'ExpiredObjectDeleteMarker') === 'true',
    noncurrentDays: readNumber(noncurrent, 'NoncurrentDays'),
    newerNoncurrentVersions: readNumber(noncurrent, 'NewerNoncurrentVersions') ?? 0,
    abortUploadsDays: readNumber(
      child(node, 'AbortIncompleteMultipartUpload'),
      'DaysAfterInitiation',
    ),
  };
}

function readWhen(node: XmlNode | undefined): When | null {
  const days = readNumber(node, 'Days');
  if (days !== null) return { days };
  const date = node && childText(node, 'Date');
  return date === undefined ? null : { dateMs: Date.parse(date) };
}

function readNumber(node: XmlNode | undefined, name: string): number | null {
  const text = node && childText(node, name);
  if (text === undefined) return null;
  if (!/^\s*\d+\s*$/.test(text)) throw new AwsError('MalformedXML');
  return Number(text);
}
