import { formatNumber, type Me, type Subscription } from '@storage-routing/client';
import { formatGb } from './values.ts';
import { formatCode } from './code.ts';

/** From this share on, a limit is near. */
const NEAR_SHARE = 0.8;

/** What is used of a limit of the plan in this month. */
export interface Quota {
  readonly title: string;
  readonly used: string;
  /** Undefined: unlimited. */
  readonly limit: string | undefined;
  /** 0.25 for 25 %; undefined without a limit. */
  readonly share: number | undefined;
  readonly isNear: boolean;
}

/** Counts what uploads under way have booked, because the service refuses by it. */
export function readQuotas({ usage }: Me): readonly Quota[] {
  const { gbBooked, gbQuota, uploadsBooked, uploadQuota } = usage;
  return [
    readQuota('Data this month', gbBooked, gbQuota, formatGb),
    readQuota('Uploads this month', uploadsBooked, uploadQuota, formatNumber),
  ];
}

function readQuota(
  title: string,
  used: number,
  limit: number | null,
  format: (amount: number) => string,
): Quota {
  if (limit === null)
    return { title, used: format(used), limit: undefined, share: undefined, isNear: false };
  const share = limit === 0 ? 1 : used / limit;
  return { title, used: format(used), limit: format(limit), share, isNear: share >= NEAR_SHARE };
}

interface Payment {
  /** `bad` needs the reader. */
  readonly tone: 'good' | 'bad' | 'quiet';
  readonly title: string;
  /** What it means for the plan, and what the reader can do. */
  readonly advice: string;
}

const PAYMENTS: Readonly<Record<string, Payment>> = {
  trialing: { tone: 'good', title: 'In trial', advice: 'The plan is active.' },
  active: { tone: 'good', title: 'Paid', advice: 'The plan is active.' },
  past_due: {
    tone: 'bad',
    title: 'Payment is late',
    advice:
      'The plan stays active for now, and the payment service tries again. Open the subscription and check the card.',
  },
  unpaid: {
    tone: 'bad',
    title: 'Payment has failed',
    advice: 'The plan is suspended. Open the subscription and pay the amount due.',
  },
  paused: {
    tone: 'bad',
    title: 'Trial ended without a card',
    advice: 'The plan is suspended. Open the subscription and add a card.',
  },
  incomplete: {
    tone: 'bad',
    title: 'First payment is not complete',
    advice: 'The plan has not started. Buy it again; the open checkout expires.',
  },
  canceled: {
    tone: 'quiet',
    title: 'Ended',
    advice:
      'You are back on your previous plan. Stores, files and running work are not affected. Buy a plan if you need one again.',
  },
  incomplete_expired: {
    tone: 'quiet',
    title: 'First payment was never completed',
    advice: 'The plan has not started. Buy it again if you still need it.',
  },
};

/** The state of a subscription. */
export function describePayment(status: Subscription['status']): Payment {
  return PAYMENTS[status] ?? { tone: 'quiet', title: formatCode(status), advice: '' };
}
