import type { Subscription } from '@storage-routing/client';

interface PaymentWords {
  /** `bad` needs the reader. */
  readonly tone: 'good' | 'bad' | 'quiet';
  readonly title: string;
  /** What it means for the plan, and what the reader can do. */
  readonly advice: string;
}

export const PAYMENT_WORDS: Readonly<Record<Subscription['status'], PaymentWords>> = {
  trialing: { tone: 'good', title: 'In its trial', advice: 'The plan is yours.' },
  active: { tone: 'good', title: 'Paid', advice: 'The plan is yours.' },
  past_due: {
    tone: 'bad',
    title: 'Payment is late',
    advice:
      'The plan stays for now; the payment service tries again. Open the subscription and check the card.',
  },
  unpaid: {
    tone: 'bad',
    title: 'Payment has failed',
    advice: 'The plan is suspended. Open the subscription and pay what is due.',
  },
  paused: {
    tone: 'bad',
    title: 'Trial has ended without a card',
    advice: 'The plan is suspended. Open the subscription and add a card.',
  },
  incomplete: {
    tone: 'bad',
    title: 'First payment is not finished',
    advice: 'The plan has not begun. Buy it again; the open checkout ends by itself.',
  },
  canceled: {
    tone: 'quiet',
    title: 'Ended',
    advice:
      'You are back on the plan you had without it. Stores, files and running work stay. Buy a plan where you need one again.',
  },
  incomplete_expired: {
    tone: 'quiet',
    title: 'First payment was never finished',
    advice: 'The plan has not begun. Buy it again where you still need it.',
  },
};
