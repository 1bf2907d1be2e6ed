import { Page } from '../../parts/page.tsx';
import { CostHistory } from './cost-history.tsx';
import { Money } from './money.tsx';
import { ToDo } from './to-do.tsx';
import { Uploads } from './uploads.tsx';
import './overview.css';

/**
 * For the person who pays: what storage costs, what it could cost, what to do next. Uploads below.
 */
export function Overview() {
  return (
    <Page title="Overview">
      <Money />
      <ToDo />
      <CostHistory />
      <Uploads />
    </Page>
  );
}
