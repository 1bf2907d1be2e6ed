/** One attempt to deliver an event to a webhook: ids only. */
export interface DeliveryInput {
  readonly accountId: string;
  readonly webhookId: string;
  readonly eventId: string;
}
