import { parser } from '@prometheus-io/lezer-promql';

/** A selector of a query: a metric, and what it demands of its labels. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly LabelMatcher[];
}

export interface LabelMatcher {
  readonly label: string;
  /** Whether a series with this value of the label is selected; '' where it has none. */
  readonly matches: (value: string) => boolean;
}

/** The selectors of a PromQL expression. @throws Error where it does not parse */
export function selectorsOf(expression: string): readonly Selector[] {
  const selectors: { metric: string; matchers: LabelMatcher[] }[] = [];
  parser.parse(expression).iterate({
    enter: ({ name, from, to, type }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`);
      if (name === 'VectorSelector')
        selectors.push({ metric: /^[\w:]*/.exec(text)?.[0] ?? '', matchers: [] });
      if (name === 'UnquotedLabelMatcher') selectors.at(-1)?.matchers.push(toMatcher(text));
    },
  });
  return selectors;
}

function toMatcher(text: string): LabelMatcher {
  const [, label = '', operator, value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? [];
  const pattern = new RegExp(`^(?:${value})$`);
  const matches = {
    '=': (found: string) => found === value,
    '!=': (found: string) => found !== value,
    '=~': (found: string) => pattern.test(found),
    '!~': (found: string) => !pattern.test(found),
  }[operator ?? ''];
  if (!matches) throw new Error(`no label matcher: ${text}`);
  return { label, matches };
}

/** A line of Prometheus' text format. */
export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function parseSeries(text: string): readonly Series[] {
  return text.split('\n').flatMap((line) => {
    const [, metric, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (metric === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return [
      {
        metric,
        labels: Object.fromEntries(pairs.map(([, name = '', value]) => [name, value ?? ''])),
      },
    ];
  });
}
