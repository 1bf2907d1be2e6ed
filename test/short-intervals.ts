import type { Intervals } from '../domain/common/intervals.ts';

/** What the fault suites wait for, short; each is as long as what it waits for takes on a busy machine. */
export const SHORT_INTERVALS: Intervals = {
  followUpSeconds: 5,
  settleSeconds: 10,
  // A call to assemble takes up to 15 s.
  lastLookSeconds: 20,
  firstBackoffSeconds: 10,
  inFlightSeconds: 15,
  placeKeptSeconds: 10,
  placeLookSeconds: 5,
  sweepUploadsMs: 5_000,
  sweepLostWorkMs: 5_000,
  webhooksPollMs: 1_000,
  deliveryTakenSeconds: 20,
  recheckMs: 5_000,
  // A body without a byte is given up after 15 s.
  heartbeatTimeoutMs: 20_000,
  heartbeatThrottleMs: 2_000,
  activitiesEndMs: 6_000,
  firstSuspensionMs: 1_000,
  maxSuspensionMs: 5_000,
  maxRetryMs: 10_000,
};
