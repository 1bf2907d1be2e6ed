import { useState, type ComponentProps } from 'react';
import { formatCount } from '../../format/values.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';

const SHOWN = 20;

/** A table whose first rows are shown until the reader asks for all. */
export function LongTable<Row>(props: ComponentProps<typeof DataTable<Row>>) {
  const { rows } = props;
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <DataTable {...props} rows={isWhole ? rows : rows.slice(0, SHOWN)} />
      {rows.length > SHOWN && !isWhole ? (
        <div className="actions">
          <ActionButton
            label={`Show all ${formatCount(rows.length)}: ${props.caption}`}
            onPress={() => setWhole(true)}
          >
            {`Show all ${formatCount(rows.length)}`}
          </ActionButton>
        </div>
      ) : null}
    </>
  );
}
