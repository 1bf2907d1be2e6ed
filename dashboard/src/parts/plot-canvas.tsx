import { useEffect, useRef, useSyncExternalStore } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { PlotProps, PlotSeries } from './plot-props.ts';

const HEIGHT = 260;
const FONT = '12px system-ui, sans-serif';
const TICK_GAP = 16;
/** Pixels that a tick of the horizontal axis needs. */
const TICK_SPACE = 36;
/** The share of the space between two points; at most so many pixels. */
const BAR_SIZE: UPlot.Series.BarsPathBuilderOpts = { size: [0.6, 48] };

interface PlotCanvasProps extends Omit<PlotProps, 'caption' | 'pointTitle'> {
  /** The index of the point under the pointer; undefined if there is none. */
  readonly onHover: (index: number | undefined) => void;
}

/** Draws with uPlot. Equal data is not drawn again, so a refetch does not flicker. */
export function PlotCanvas({ kind, points, series, format, onHover }: PlotCanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ format, onHover });
  latest.current = { format, onHover };
  const isDark = useSyncExternalStore(subscribeTheme, () => DARK.matches);
  const drawn = JSON.stringify({ kind, points, series, isDark });
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const { points: places, series: lines } = JSON.parse(drawn) as PlotProps;
    const look: PlotLook = {
      kind,
      resolve: (name) => resolveColor(element, name),
      formatValue: (value) => latest.current.format(value),
      tick: (index) => places[index]?.tick ?? '',
      onHover: (index) => latest.current.onHover(index),
    };
    const plot = new UPlot(
      createOptions(look, lines, { width: element.clientWidth, count: places.length }),
      createData(kind, lines, places.length),
      element,
    );
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [kind, drawn]);
  return <div ref={host} className="plot-canvas" />;
}

const DARK = window.matchMedia('(prefers-color-scheme: dark)');

function subscribeTheme(listener: () => void): () => void {
  DARK.addEventListener('change', listener);
  return () => DARK.removeEventListener('change', listener);
}

/** A canvas takes no custom property: an element resolves it. */
function resolveColor(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

interface PlotLook {
  readonly kind: PlotProps['kind'];
  readonly resolve: (name: string) => string;
  readonly formatValue: (value: number) => string;
  readonly tick: (index: number) => string;
  readonly onHover: (index: number | undefined) => void;
}

function createOptions(
  look: PlotLook,
  series: readonly PlotSeries[],
  { width, count }: { readonly width: number; readonly count: number },
): UPlot.Options {
  const isBars = look.kind === 'bars';
  const margin = isBars ? 0.5 : 0;
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !isBars } },
    scales: {
      x: { time: false, range: [-margin, Math.max(count - 1, 1 - 2 * margin) + margin] },
      y: { range: (_, least, most) => valueRange(least, most) },
    },
    axes: createAxes(look),
    series: [{}, ...series.map((line, index) => createLine(look, line, index)).toReversed()],
    hooks: { setCursor: [({ cursor: { idx } }) => look.onHover(idx ?? undefined)] },
  };
}

/** From zero, with room above the highest. */
function valueRange(least: number | null, most: number | null): [number, number] {
  const low = Math.min(least ?? 0, 0);
  const high = Math.max(most ?? 0, 0);
  const room = (high - low) * 0.08;
  if (room === 0) return [0, 1];
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

function createAxes({ resolve, formatValue, tick }: PlotLook): UPlot.Axis[] {
  const look = {
    stroke: resolve('--quiet'),
    font: FONT,
    grid: { stroke: resolve('--line'), width: 1 },
    ticks: { show: false },
  };
  return [
    {
      ...look,
      grid: { show: false },
      space: TICK_SPACE,
      incrs: [1, 2, 3, 6, 12, 24],
      values: (_, splits) => splits.map(tick),
    },
    {
      ...look,
      size: (plot, values) => widestText(plot, values ?? []) + TICK_GAP,
      values: (_, splits) => splits.map(formatValue),
    },
  ];
}

function widestText({ ctx }: UPlot, texts: readonly string[]): number {
  ctx.save();
  ctx.font = FONT;
  const widest = Math.max(0, ...texts.map((text) => ctx.measureText(text).width));
  ctx.restore();
  return Math.ceil(widest);
}

function createLine(
  { kind, resolve }: PlotLook,
  { color, isDashed = false }: PlotSeries,
  index: number,
): UPlot.Series {
  const stroke = resolve(`--series-${color ?? index + 1}`);
  if (kind === 'bars')
    return { fill: stroke, width: 0, fillTo: 0, points: { show: false }, paths: paintBars };
  return { stroke, width: 2, points: { show: false }, ...(isDashed && { dash: [6, 5] }) };
}

const paintBars: UPlot.Series.PathBuilder = (...place) =>
  UPlot.paths.bars?.(BAR_SIZE)(...place) ?? null;

/**
 * The last series first, because later ones are drawn over it. Bars are stacked: the value of each
 * contains those before it of the same sign.
 */
function createData(
  kind: PlotProps['kind'],
  series: readonly PlotSeries[],
  count: number,
): UPlot.AlignedData {
  const indices = Array.from({ length: count }, (_, index) => index);
  const stacks = indices.map(() => ({ up: 0, down: 0 }));
  const stackValues = ({ values }: PlotSeries) =>
    stacks.map((stack, index) => {
      const value = values[index] ?? 0;
      const side = value < 0 ? 'down' : 'up';
      stack[side] += value;
      return value === 0 ? null : stack[side];
    });
  const columns = series.map((line) => (kind === 'bars' ? stackValues(line) : [...line.values]));
  return [indices, ...columns.toReversed()];
}
