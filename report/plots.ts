import { formatPercent } from '../shared/amounts.ts';
import { escapeHtml, type Bars, type Shares } from './blocks.ts';

/** Plots as inline SVG. Widths are units of the view box, as wide as the text of a sheet. */

const WIDTH = 680;
const LABEL_WIDTH = 170;
const BAR_HEIGHT = 12;
const GROUP_GAP = 8;
const TEXT_WIDTH = 90;
const FONT_SIZE = 10.5;
const LETTER_WIDTH = 6.1;
/** Distinct in grey as well: each is lighter than the one before. */
const COLOURS = [
  '#12466b',
  '#3f87b5',
  '#86b9d6',
  '#c3dbe8',
  '#dfe6eb',
  '#f1ecdf',
  '#e3cfa4',
  '#cf9f55',
  '#9a6a2b',
];
const LOSS_COLOUR = '#b4552d';

/** Horizontal bars in groups, from a common zero, with their amounts beside them. */
export function drawBars({ title, series, groups }: Bars): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = WIDTH - LABEL_WIDTH - TEXT_WIDTH - (least < 0 ? TEXT_WIDTH : 0);
  const scale = most > least ? room / (most - least) : 0;
  const zero = LABEL_WIDTH + (least < 0 ? TEXT_WIDTH : 0) - least * scale;
  let top = 0;
  const drawn = groups.map(({ label, bars }) => {
    const middle = top + (bars.length * BAR_HEIGHT) / 2;
    const name = textAt(0, middle, shorten(label, LABEL_WIDTH - 8));
    const rows = bars.map(({ value, text }, at) => {
      const y = top + at * BAR_HEIGHT;
      const width = Math.abs(value) * scale;
      const x = value < 0 ? zero - width : zero;
      const colour = value < 0 ? LOSS_COLOUR : COLOURS[series.length === 1 ? 1 : at * 2];
      const beside =
        value < 0
          ? textAt(x - 5, y + BAR_HEIGHT / 2, text, 'end')
          : textAt(x + width + 5, y + BAR_HEIGHT / 2, text);
      return rectangle(x, y + 1, width, BAR_HEIGHT - 2, colour) + beside;
    });
    top += bars.length * BAR_HEIGHT + GROUP_GAP;
    return name + rows.join('');
  });
  const legend =
    series.length > 1 ? series.map((name, at) => ({ name, colour: COLOURS[at * 2] ?? '' })) : [];
  return figure(
    title,
    drawn.join('') + drawLegend(legend, top),
    top + (legend.length > 0 ? 18 : 0),
  );
}

/** A bar of parts for each row, with its parts named below it. */
export function drawShares({ rows }: Shares): string {
  let top = 0;
  const drawn = rows.map(({ name, parts }) => {
    let x = LABEL_WIDTH - 90;
    const width = WIDTH - x;
    const bars = parts.map(({ share }, at) => {
      const bar = rectangle(x, top, share * width, BAR_HEIGHT, colourAt(at));
      x += share * width;
      return bar;
    });
    const legend = parts.map(({ label, share }, at) => ({
      name: `${label} ${formatPercent(share)}`,
      colour: colourAt(at),
    }));
    const lines = wrapLegend(legend, width);
    const named = lines.map((line, at) =>
      drawLegend(line, top + BAR_HEIGHT + 4 + at * 14, LABEL_WIDTH - 90),
    );
    const all = textAt(0, top + BAR_HEIGHT / 2, name) + bars.join('') + named.join('');
    top += BAR_HEIGHT + 4 + lines.length * 14 + 6;
    return all;
  });
  return figure('', drawn.join(''), top);
}

interface LegendEntry {
  readonly name: string;
  readonly colour: string;
}

function colourAt(at: number): string {
  return COLOURS[at % COLOURS.length] ?? '';
}

function wrapLegend(entries: readonly LegendEntry[], width: number): readonly LegendEntry[][] {
  const lines: LegendEntry[][] = [[]];
  let used = 0;
  for (const entry of entries) {
    const needed = legendWidth(entry);
    if (used > 0 && used + needed > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(entry);
    used += needed;
  }
  return lines;
}

function legendWidth({ name }: LegendEntry): number {
  return 14 + name.length * LETTER_WIDTH + 14;
}

function drawLegend(entries: readonly LegendEntry[], top: number, left = LABEL_WIDTH): string {
  let x = left;
  return entries
    .map((entry) => {
      const drawn = rectangle(x, top + 2, 9, 9, entry.colour) + textAt(x + 13, top + 7, entry.name);
      x += legendWidth(entry);
      return drawn;
    })
    .join('');
}

function figure(title: string, drawn: string, height: number): string {
  const caption = title === '' ? '' : `<figcaption>${escapeHtml(title)}</figcaption>`;
  return `<figure>${caption}<svg viewBox="0 0 ${WIDTH} ${Math.ceil(height)}" role="img" aria-label="${escapeHtml(title)}">${drawn}</svg></figure>`;
}

function rectangle(x: number, y: number, width: number, height: number, fill = ''): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"/>`;
}

function textAt(x: number, middle: number, words: string, anchor = 'start'): string {
  return `<text x="${round(x)}" y="${round(middle + FONT_SIZE * 0.35)}" font-size="${FONT_SIZE}" text-anchor="${anchor}">${escapeHtml(words)}</text>`;
}

function shorten(words: string, width: number): string {
  const most = Math.floor(width / LETTER_WIDTH);
  return words.length <= most ? words : `${words.slice(0, most - 1)}…`;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
