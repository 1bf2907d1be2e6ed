const PAUSE_MS = 50;
const PATIENCE_MS = 60_000;

/**
 * Asks until the question passes, and gives its answer.
 *
 * @throws what the question threw last, once the time is over.
 */
export async function eventually<T>(question: () => Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
