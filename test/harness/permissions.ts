import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AwsDouble } from '../../dev/aws-double/index.ts';

const GUIDE = join(import.meta.dirname, '../../docs/guides/permissions.md');

export type Policy = NonNullable<Parameters<AwsDouble['putUser']>[0]['policies']>[number];

/** A section of the guide. */
export interface Permissions {
  readonly policy: Policy;
  /** The actions in the first column of its table. */
  readonly explained: readonly string[];
}

/** The policy and the table below a heading of docs/guides/permissions.md. */
export function readPermissions(heading: string): Permissions {
  const sections = readFileSync(GUIDE, 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  const json = /^```json\n([^]*?)^```$/m.exec(section)?.[1] ?? assert.fail(`${heading}: no policy`);
  const rows = [...section.matchAll(/^\| `(s3:\w+)`/gm)].map(([, action = '']) => action);
  return { policy: JSON.parse(json) as Policy, explained: rows };
}

export function actionsOf({ Statement }: Policy): readonly string[] {
  return [Statement].flat().flatMap(({ Action = [] }) => Action);
}

/** The policy without one action; whole without a name. */
export function without(policy: Policy, missing: string): Policy {
  const statements = [policy.Statement].flat().flatMap(({ Effect, Action = [], Resource }) => {
    const left = [Action].flat().filter((action) => action !== missing);
    return left.length === 0 ? [] : [{ Effect, Action: left, ...(Resource && { Resource }) }];
  });
  return { ...policy, Statement: statements };
}
