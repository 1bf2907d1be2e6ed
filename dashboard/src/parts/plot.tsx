import { lazy, Suspense, useState } from 'react';
import { DataTable, type Column } from './data-table.tsx';
import type { PlotPoint, PlotProps } from './plot-props.ts';

const PlotCanvas = lazy(async () => ({ default: (await import('./plot-canvas.tsx')).PlotCanvas }));

/** A plot with its numbers on hover, and a table of the same numbers. */
export function Plot(props: PlotProps) {
  const { caption, points, format } = props;
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : format(value);
  return (
    <div className="plot-with-table">
      <div className="plot">
        <PlotWithLegend {...props} text={text} />
      </div>
      <details>
        <summary>The numbers</summary>
        <DataTable
          caption={caption}
          rows={points.map((point, index) => ({ point, index }))}
          rowKey={({ point }) => point.label}
          columns={createColumns(props, text)}
        />
      </details>
    </div>
  );
}

interface Row {
  readonly point: PlotPoint;
  readonly index: number;
}

type Text = (value: number | null | undefined) => string;

function createColumns({ kind, pointTitle, series }: PlotProps, text: Text): Column<Row>[] {
  const columns: Column<Row>[] = [
    { title: pointTitle, cell: ({ point }) => point.label },
    ...series.map(({ label, values }) => ({
      title: label,
      isNumber: true,
      cell: ({ index }: Row) => text(values[index]),
    })),
  ];
  if (kind === 'lines' || series.length === 1) return columns;
  const totalAt = (index: number) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
  const total = { title: 'Total', isNumber: true, cell: ({ index }: Row) => text(totalAt(index)) };
  return [...columns, total];
}

interface LegendProps extends PlotProps {
  readonly text: Text;
}

/** The table says the same to a reader who does not see the page. */
function PlotWithLegend({ text, ...props }: LegendProps) {
  const [hovered, setHovered] = useState<number | undefined>();
  const point = hovered === undefined ? undefined : props.points[hovered];
  return (
    <div aria-hidden="true">
      <Suspense fallback={<div className="plot-canvas" />}>
        <PlotCanvas {...props} onHover={setHovered} />
      </Suspense>
      <ul className="plot-legend">
        {props.series.map(({ label, values, color, isDashed = false }, index) => (
          <li key={label}>
            <span
              className={isDashed ? 'swatch swatch-dashed' : 'swatch'}
              style={{ borderTopColor: `var(--series-${color ?? index + 1})` }}
            />
            {label}
            <strong>{point && hovered !== undefined ? text(values[hovered]) : ''}</strong>
          </li>
        ))}
      </ul>
      <p className="plot-hovered">{point?.label ?? 'Point at the plot for its numbers.'}</p>
    </div>
  );
}
