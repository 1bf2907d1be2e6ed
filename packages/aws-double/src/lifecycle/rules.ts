import type { Tag } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { child, childText, parseXml, type XmlNode } from '../wire/xml.ts';

/** The rules of a lifecycle configuration, and which configurations S3 takes. */

/**
 * The setting, beside the rules, of the size below which objects are not changed by rules without a
 * bound of their own.
 */
export const LIFECYCLE_MINIMUM = 'lifecycle-minimum';

interface Transition {
  readonly when: When;
  readonly storageClass: string;
}

/** Days after an event, or a date in milliseconds. */
type When = { readonly days: number } | { readonly dateMs: number };

export interface LifecycleRule {
  readonly id: string;
  readonly enabled: boolean;
  readonly prefix: string;
  readonly tags: readonly Tag[];
  /** Exclusive bounds, null where there is none. */
  readonly largerThan: number | null;
  readonly smallerThan: number | null;
  readonly transitions: readonly Transition[];
  readonly expiration: When | null;
  readonly expiresDeleteMarkers: boolean;
  readonly noncurrentDays: number | null;
  readonly newerNoncurrentVersions: number;
  readonly abortUploadsDays: number | null;
}

const MAX_RULES = 1000;
const MIN_DAYS: Readonly<Record<string, number>> = { STANDARD_IA: 30, ONEZONE_IA: 30 };
const ACTIONS = new Set([
  'Transition',
  'Expiration',
  'NoncurrentVersionExpiration',
  'NoncurrentVersionTransition',
  'AbortIncompleteMultipartUpload',
]);

/** The rules of a document, in its order. */
export function readLifecycleRules(document: string): readonly LifecycleRule[] {
  return ruleNodes(document).map(readRule);
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
  const nodes = ruleNodes(document);
  if (nodes.length === 0 || nodes.length > MAX_RULES) throw malformed();
  for (const node of nodes) checkRule(node);
  if (nodes.some((node) => child(node, 'Prefix')) && nodes.some((node) => child(node, 'Filter'))) {
    throw new AwsError(
      'InvalidRequest',
      'Found mixed formats in the lifecycle configuration. Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.',
    );
  }
  const ids = nodes.flatMap((node) => childText(node, 'ID') ?? []);
  if (new Set(ids).size < ids.length) {
    throw new AwsError(
      'InvalidArgument',
      'Rule ID must be unique. Found same ID for more than one rule',
    );
  }
}

function ruleNodes(document: string): readonly XmlNode[] {
  return parseXml(document).children.filter(({ name }) => name === 'Rule');
}

function checkRule(node: XmlNode): void {
  const isOneOf = (child(node, 'Prefix') !== undefined) !== (child(node, 'Filter') !== undefined);
  const and = child(child(node, 'Filter') ?? node, 'And');
  if (!isOneOf || !['Enabled', 'Disabled'].includes(childText(node, 'Status') ?? '')) {
    throw malformed();
  }
  if (and && and.children.length < 2) throw malformed();
  if (!node.children.some(({ name }) => ACTIONS.has(name))) {
    throw new AwsError('InvalidRequest', 'At least one action needs to be specified in a rule');
  }
  for (const { when, storageClass } of readRule(node).transitions) {
    const least = MIN_DAYS[storageClass] ?? 0;
    if ('days' in when && when.days < least) {
      throw new AwsError(
        'InvalidArgument',
        `'Days' in Transition action must be greater than or equal to ${least} for storageClass '${storageClass}'`,
      );
    }
  }
}

function readRule(node: XmlNode): LifecycleRule {
  const filter = child(node, 'Filter');
  const conditions = (filter && child(filter, 'And')) ?? filter ?? node;
  const expiration = child(node, 'Expiration');
  const noncurrent = child(node, 'NoncurrentVersionExpiration');
  const abort = child(node, 'AbortIncompleteMultipartUpload');
  return {
    id: childText(node, 'ID') ?? '',
    enabled: childText(node, 'Status') === 'Enabled',
    prefix: childText(conditions, 'Prefix') ?? '',
    tags: conditions.children
      .filter(({ name }) => name === 'Tag')
      .map((tag) => ({ key: childText(tag, 'Key') ?? '', value: childText(tag, 'Value') ?? '' })),
    largerThan: numberIn(conditions, 'ObjectSizeGreaterThan'),
    smallerThan: numberIn(conditions, 'ObjectSizeLessThan'),
    transitions: node.children
      .filter(({ name }) => name === 'Transition')
      .flatMap((transition) => {
        const when = whenOf(transition);
        return when ? [{ when, storageClass: childText(transition, 'StorageClass') ?? '' }] : [];
      }),
    expiration: expiration ? whenOf(expiration) : null,
    expiresDeleteMarkers:
      expiration !== undefined && childText(expiration, 'ExpiredObjectDeleteMarker') === 'true',
    noncurrentDays: noncurrent ? numberIn(noncurrent, 'NoncurrentDays') : null,
    newerNoncurrentVersions: (noncurrent && numberIn(noncurrent, 'NewerNoncurrentVersions')) ?? 0,
    abortUploadsDays: abort ? numberIn(abort, 'DaysAfterInitiation') : null,
  };
}

function whenOf(node: XmlNode): When | null {
  const days = numberIn(node, 'Days');
  if (days !== null) return { days };
  const date = childText(node, 'Date');
  return date === undefined ? null : { dateMs: Date.parse(date) };
}

function numberIn(node: XmlNode, name: string): number | null {
  const text = childText(node, name);
  if (text === undefined) return null;
  if (!/^\d+$/.test(text.trim())) throw malformed();
  return Number(text);
}

function malformed(): AwsError {
  return new AwsError(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
}
