/**
 * How long the service waits before it looks again at what may be lost, stuck or silent. The fault
 * suites run a build in which `test/short-intervals.ts` takes the place of these values.
 */
export interface Intervals {
  /** The time that a process which changed a document has to do what follows from the change. */
  readonly followUpSeconds: number;
  /** The time that a workflow has to settle a file after its deadline. */
  readonly settleSeconds: number;
  /** At least this long after the deadline, so that an assembly that the API began has ended. */
  readonly lastLookSeconds: number;
  /** The first wait for what could not be helped; it doubles with each further one. */
  readonly firstBackoffSeconds: number;
  /**
   * Longer than an init takes from booking to insert. After this time the documents hold everything
   * that a counter showed before.
   */
  readonly inFlightSeconds: number;
  /**
   * A replaced place of a store stays at least so long, with files or without: an init under way
   * has read the account before, and inserts its file after it. Longer than a call takes.
   */
  readonly placeKeptSeconds: number;
  /** Between two looks whether something still needs a replaced place. */
  readonly placeLookSeconds: number;
  /** From the start of one sweep of the files to the start of the next. */
  readonly sweepUploadsMs: number;
  /** From the start of one sweep of the scans, or of the migrations, to the start of the next. */
  readonly sweepLostWorkMs: number;
  /** Between two looks for events to send to webhooks. */
  readonly webhooksPollMs: number;
  /** An attempt of a delivery whose process died is repeated after this time. */
  readonly deliveryTakenSeconds: number;
  /**
   * How often a recommendation that waits looks for an approval whose signal was lost, and for its
   * expiry: its start delay was computed by another clock.
   */
  readonly recheckMs: number;
  /** A worker that dies, or an activity without progress, is noticed after this time. */
  readonly heartbeatTimeoutMs: number;
  /** A heartbeat, and with it the answer that cancels, reaches the server at most this late. */
  readonly heartbeatThrottleMs: number;
  /** Longer than a worker takes to notice a terminated workflow and to stop its activities. */
  readonly activitiesEndMs: number;
  /** How long a silent store is left alone: at first, and at most. */
  readonly firstSuspensionMs: number;
  readonly maxSuspensionMs: number;
  /** The longest wait between two attempts of an activity. */
  readonly maxRetryMs: number;
}

export const INTERVALS: Intervals = {
  followUpSeconds: 15,
  settleSeconds: 60,
  lastLookSeconds: 60,
  firstBackoffSeconds: 60,
  inFlightSeconds: 30,
  placeKeptSeconds: 60,
  placeLookSeconds: 30 * 60,
  sweepUploadsMs: 60_000,
  sweepLostWorkMs: 30_000,
  webhooksPollMs: 2_000,
  deliveryTakenSeconds: 60,
  recheckMs: 60_000,
  heartbeatTimeoutMs: 30_000,
  heartbeatThrottleMs: 10_000,
  activitiesEndMs: 15_000,
  firstSuspensionMs: 5_000,
  maxSuspensionMs: 60_000,
  maxRetryMs: 60_000,
};
