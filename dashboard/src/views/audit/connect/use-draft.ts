import { useState } from 'react';
import { useSession } from '../../../session/use-session.ts';
import { ALL_REGIONS } from './regions.ts';
import { createExternalId } from './role.ts';

/** What the reader has given so far. */
export interface Draft {
  readonly externalId: string;
  readonly roleArn: string;
  readonly regions: readonly string[];
  /** Regions that the list does not have, separated by commas or spaces. */
  readonly otherRegions: string;
}

/**
 * The draft of this tab and user. It outlives a reload: the role in AWS demands the external id
 * that was shown when the role was made. Nothing in it is a credential.
 */
export function useDraft(): [Draft, (change: Partial<Draft>) => void, () => void] {
  const subject = useSession().state.user?.subject ?? '';
  const key = `connect:${subject}`;
  const [draft, setDraft] = useState(() => read(key));
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    sessionStorage.setItem(key, JSON.stringify(next));
  };
  return [draft, change, () => sessionStorage.removeItem(key)];
}

/** Regions as the API takes them. */
export function listRegions({ regions, otherRegions }: Draft): string[] {
  return [...new Set([...regions, ...otherRegions.split(/[\s,]+/)])].filter(
    (region) => region !== '',
  );
}

function read(key: string): Draft {
  const stored = sessionStorage.getItem(key);
  if (stored !== null) return JSON.parse(stored) as Draft;
  const draft: Draft = {
    externalId: createExternalId(),
    roleArn: '',
    regions: ALL_REGIONS,
    otherRegions: '',
  };
  sessionStorage.setItem(key, JSON.stringify(draft));
  return draft;
}
