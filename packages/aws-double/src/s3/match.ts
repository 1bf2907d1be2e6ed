import type { WireRequest } from '../wire/request.ts';
import { unreachable } from '../wire/unreachable.ts';
import type { Address } from './address.ts';
import type { Operation } from './call.ts';

/** Finds the operation of a request in a list. */
export type MatchOperation = (request: WireRequest, address: Address) => Operation | null;

// Sub-resources that the double does not implement. Unlisted, `?restore` on a PUT would match
// PutObject and overwrite the object.
const FOREIGN_SUBRESOURCES = [
  'attributes',
  'metadataConfiguration',
  'metadataTable',
  'rename',
  'renameObject',
  'restore',
  'select',
  'session',
  'torrent',
  'encryptionConfiguration',
];

/** Creates a matcher over a list of operations. */
export function createMatcher(operations: readonly Operation[]): MatchOperation {
  const known = new Set(FOREIGN_SUBRESOURCES);
  for (const { query } of operations) if (query !== null) known.add(query);
  return (request, address) => {
    const present = request.query.pairs.map(([name]) => name).filter((name) => known.has(name));
    return (
      operations.find((operation) => {
        if (operation.method !== request.method) return false;
        if (!levelMatches(operation, address)) return false;
        if (operation.query === null) {
          if (present.length > 0) return false;
        } else if (!present.includes(operation.query)) return false;
        const { header } = operation;
        return header === undefined || request.headers.has(header.name) === header.present;
      }) ?? null
    );
  };
}

function levelMatches(operation: Operation, address: Address): boolean {
  switch (operation.level) {
    case 'service':
      return address.bucket === null;
    case 'new-bucket':
    case 'bucket':
      return address.bucket !== null && address.key === null;
    case 'object':
      return address.bucket !== null && address.key !== null;
    default:
      return unreachable(operation);
  }
}
