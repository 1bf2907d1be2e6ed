import type { HowTo, Recommendation } from '@storage-routing/client';
import { shown, shownLines } from '../io/text.ts';

/** Formats how to carry out a recommendation in the own account; the commands can be pasted. */
export function howToText(
  { kind, bucket, region }: Pick<Recommendation, 'kind' | 'bucket' | 'region'>,
  { summary, commands }: HowTo,
): string {
  return [
    `${kind} in ${shown(bucket)} (${shown(region)}): you carry it out in your own account.`,
    shown(summary),
    ...commands.map((command) => `\n${shownLines(command)}`),
  ].join('\n');
}
