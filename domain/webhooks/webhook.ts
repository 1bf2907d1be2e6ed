import type { SealedText } from '../accounts/account.ts';
import { addSeconds } from '../common/time.ts';
import type { EVENT_TYPES } from './event.ts';

export const FORMATS = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof FORMATS)[number];

/** An address that receives events. */
export interface Webhook {
  readonly webhookId: string;
  /** The address, or what may be shown of it. */
  readonly url: string;
  /** The address where it is a secret; absent: it is `url`. */
  readonly sealedUrl?: SealedText;
  readonly events: readonly (typeof EVENT_TYPES)[number][];
  readonly format: WebhookFormat;
  readonly secret: SealedText;
  /** The secret before, which signs too until a time; absent if none was replaced. */
  readonly earlier?: { readonly secret: SealedText; readonly until: Date };
  readonly createdAt: Date;
  /** Null while it receives events. */
  readonly disabledAt: Date | null;
  /** The first failure since the last success; absent without one. */
  readonly failingSince?: Date;
}

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: ids of the workspace
 * and the app, and a secret.
 */
const SLACK_PATH = '/services/T';

export const MAX_WEBHOOKS = 10;
export const MAX_URL_LENGTH = 1_024;
/** Tests of an account that are not handed to its webhooks yet. */
export const MAX_WAITING_TESTS = 10;
/** After a rotation both secrets sign for this time. */
const BOTH_SIGN_SECONDS = 86_400;

export function untilBothSign(now: Date): Date {
  return addSeconds(now, BOTH_SIGN_SECONDS);
}

/** Whether the address is a secret: whoever has that of a channel can write to it. */
export function isSecretUrl({ format }: Pick<Webhook, 'format'>): boolean {
  return format === 'slack';
}

/** What may be shown of an address; of what is masked, the same. */
export function shownUrl({ url, format }: Pick<Webhook, 'url' | 'format'>): string {
  if (!isSecretUrl({ format })) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.startsWith(SLACK_PATH) ? `${SLACK_PATH}…/…` : '/…'}`;
}

/** The secrets that sign at a time, the newest first. */
export function signingSecrets({ secret, earlier }: Webhook, now: Date): readonly SealedText[] {
  return earlier && earlier.until > now ? [secret, earlier.secret] : [secret];
}
