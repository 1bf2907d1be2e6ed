import type { Connection, Schedule as ScheduleOf } from '@storage-routing/client';
import { useState } from 'react';
import { KEYS } from '../../data/keys.ts';
import { useChange } from '../../data/query.ts';
import { formatOutcome } from '../../format/schedule.ts';
import { ActionButton, ChangeButton } from '../../parts/action-button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { HOURS, ScheduleText, USUAL_HOUR } from '../../parts/schedule.tsx';

const PERIODS: readonly { readonly value: ScheduleOf['every']; readonly title: string }[] = [
  { value: 'day', title: 'Every day' },
  { value: 'week', title: 'Every week' },
  { value: 'month', title: 'Every month' },
];

interface ScheduleProps {
  readonly connection: Connection;
  /** Names the account or the store. */
  readonly account: string;
}

/** When audits of an account or of a store start by themselves. */
export function Schedule({ connection, account }: ScheduleProps) {
  const { connectionId, schedule } = connection;
  const [isEdited, setEdited] = useState(false);
  const staleAnyway = [KEYS.connections];
  const set = useChange((api, rule: Rule) => api.scanner.setSchedule(connectionId, rule), {
    staleAnyway,
    onSuccess: () => setEdited(false),
  });
  const remove = useChange((api) => api.scanner.removeSchedule(connectionId), { staleAnyway });
  const error = set.error ?? remove.error;
  return (
    <>
      <ScheduleText done="Audited" schedule={schedule} formatOutcome={formatOutcome} />
      {isEdited ? (
        <ScheduleForm
          schedule={schedule}
          isBusy={set.isPending}
          onSet={(rule) => set.mutate(rule)}
          onClose={() => setEdited(false)}
        />
      ) : (
        <div className="actions">
          <ChangeButton
            label={`${schedule ? 'Change the' : 'Set a'} schedule of ${account}`}
            onPress={() => setEdited(true)}
          >
            {schedule ? 'Change the schedule' : 'Set a schedule'}
          </ChangeButton>
          {schedule ? (
            <ChangeButton
              isBusy={remove.isPending}
              label={`Remove the schedule of ${account}`}
              onPress={() => remove.mutate()}
            >
              Remove the schedule
            </ChangeButton>
          ) : null}
        </div>
      )}
      {error ? <ErrorBox error={error} /> : null}
    </>
  );
}

type Rule = Pick<ScheduleOf, 'every' | 'hourUtc'>;

interface ScheduleFormProps {
  readonly schedule: ScheduleOf | null;
  readonly isBusy: boolean;
  readonly onSet: (rule: Rule) => void;
  readonly onClose: () => void;
}

function ScheduleForm({ schedule, isBusy, onSet, onClose }: ScheduleFormProps) {
  const [every, setEvery] = useState<ScheduleOf['every']>(schedule?.every ?? 'week');
  const [hour, setHour] = useState(schedule ? String(schedule.hourUtc) : USUAL_HOUR);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSet({ every, hourUtc: Number(hour) });
      }}
    >
      <Choice label="How often" value={every} options={PERIODS} onChange={setEvery} />
      <Choice label="At" value={hour} options={HOURS} onChange={setHour} />
      <div className="actions">
        <ChangeButton kind="primary" type="submit" isBusy={isBusy}>
          Set the schedule
        </ChangeButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </form>
  );
}
