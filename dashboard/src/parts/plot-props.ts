/** A place on the horizontal axis; places are evenly spaced. */
export interface PlotPoint {
  /** In the table and on hover: `November 2026`. */
  readonly label: string;
  /** On the axis: `Nov`. */
  readonly tick: string;
}

export interface PlotSeries {
  readonly label: string;
  /** One per point; null if there is none. */
  readonly values: readonly (number | null)[];
  /** 1 to 6, of `--series-1` and so on; default: the place of the series. */
  readonly color?: number;
  readonly isDashed?: boolean;
}

export interface PlotProps {
  /** What is shown, with its unit. */
  readonly caption: string;
  /** Stacked bars, or lines. */
  readonly kind: 'bars' | 'lines';
  /** The name of the horizontal axis: `Month`. */
  readonly pointTitle: string;
  readonly points: readonly PlotPoint[];
  readonly series: readonly PlotSeries[];
  /** A value as the reader sees it. */
  readonly format: (value: number) => string;
}
