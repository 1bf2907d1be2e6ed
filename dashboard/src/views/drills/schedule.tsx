import { formatMoney } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useDrillQueries } from '../../data/drills.ts';
import { KEYS } from '../../data/keys.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { useChange } from '../../data/query.ts';
import { formatDrillOutcome, formatSample } from '../../format/drills.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ScheduleText } from '../../parts/schedule.tsx';

/** When drills start by themselves, and what they try. */
export function Schedule() {
  const query = useQuery(useDrillQueries().schedule);
  const providerTitle = useProviderTitle();
  const remove = useChange((api) => api.drills.removeSchedule(), { staleAnyway: [KEYS.drills] });
  return (
    <Card title="Schedule">
      <Loaded query={query} what="the schedule">
        {(schedule) => (
          <>
            <ScheduleText
              done="An exit is tried"
              schedule={schedule}
              formatOutcome={formatDrillOutcome}
            />
            {schedule ? (
              <>
                <Facts
                  facts={[
                    ['From', schedule.drill.from.bucketName],
                    ['To', providerTitle(schedule.drill.to)],
                    ['Sample', formatSample(schedule.drill.sample)],
                    ['At most, each time', formatMoney(schedule.drill.maxTotalUsd)],
                  ]}
                />
                <div className="actions">
                  <ChangeButton isBusy={remove.isPending} onPress={() => remove.mutate()}>
                    Remove the schedule
                  </ChangeButton>
                </div>
              </>
            ) : null}
          </>
        )}
      </Loaded>
      {remove.error ? <ErrorBox error={remove.error} /> : null}
    </Card>
  );
}
