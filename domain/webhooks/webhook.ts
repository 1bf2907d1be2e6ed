import type { SealedText } from '../account/account.ts';
import { addSeconds } from '../common/time.ts';
import type { EVENT_TYPES } from './event.ts';

export const FORMATS = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof FORMATS)[number];

/** An address that is told of events. */
export interface Webhook {
  readonly webhookId: string;
  readonly url: string;
  readonly events: readonly (typeof EVENT_TYPES)[number][];
  readonly format: WebhookFormat;
  readonly secret: SealedText;
  /** The secret before, which signs too until a time; absent if none was replaced. */
  readonly earlier?: { readonly secret: SealedText; readonly until: Date };
  readonly createdAt: Date;
  /** Null while it is told of events. */
  readonly disabledAt: Date | null;
  /** The first failure since the last success; absent without one. */
  readonly failingSince?: Date;
}

export const MAX_WEBHOOKS = 10;
export const MAX_URL_LENGTH = 1_024;
/** After a rotation both secrets sign for this time. */
const BOTH_SIGN_SECONDS = 86_400;

export function untilBothSign(now: Date): Date {
  return addSeconds(now, BOTH_SIGN_SECONDS);
}

/** The secrets that sign at a time, the newest first. */
export function signingSecrets({ secret, earlier }: Webhook, now: Date): readonly SealedText[] {
  return earlier && earlier.until > now ? [secret, earlier.secret] : [secret];
}
