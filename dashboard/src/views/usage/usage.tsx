import { Page } from '../../parts/page.tsx';
import { History } from './history.tsx';
import { Months } from './months.tsx';

/** What was routed, month by month and file by file. */
export function Usage() {
  return (
    <Page title="Usage">
      <Months />
      <History />
    </Page>
  );
}
