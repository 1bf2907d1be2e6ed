import type { Collection, Document, Filter, Long } from 'mongodb';
import type { Booked } from '../../domain/account/plan.ts';

/** The bytes and the number of the matching documents. */
export async function sumUploads<T extends Document>(
  from: Collection<T>,
  match: Filter<T>,
): Promise<Booked> {
  const [sum] = await from
    .aggregate<{ bytes: number | Long; uploads: number }>([
      { $match: match },
      { $group: { _id: null, bytes: { $sum: '$sizeBytes' }, uploads: { $sum: 1 } } },
    ])
    .toArray();
  return { bytes: Number(sum?.bytes ?? 0), uploads: sum?.uploads ?? 0 };
}
