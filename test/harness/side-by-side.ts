type Stories = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Tests that begin together once the hooks above have run, because most of their time is a wait. Those of one lane
 * follow each other.
 */
export function itInLanes(...lanes: readonly Stories[]): void {
  const outcomes = new Map<string, Promise<unknown>>();
  before(() => {
    for (const lane of lanes) {
      let previous: Promise<unknown> = Promise.resolve();
      for (const [title, story] of Object.entries(lane)) {
        const outcome = previous.then(story);
        // A failure is that of its own test, which may come later.
        previous = outcome.catch(() => undefined);
        outcomes.set(title, outcome);
      }
    }
  });
  for (const title of lanes.flatMap(Object.keys))
    it(title, async () => void (await outcomes.get(title)));
}

/** The same, where each test is a lane of its own. */
export function itSideBySide(stories: Stories): void {
  itInLanes(...Object.entries(stories).map((story) => Object.fromEntries([story])));
}
