const PAUSE_MS = 50;
const TIME_LIMIT_MS = 60_000;

/**
 * Repeats the question until it passes, and returns its answer.
 *
 * @throws the last error of the question, after the time limit.
 */
export async function eventually<T>(question: () => Promise<T>): Promise<T> {
  const until = Date.now() + TIME_LIMIT_MS;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
