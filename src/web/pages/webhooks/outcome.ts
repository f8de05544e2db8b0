import type { Delivery } from '../../../models/answers/webhook.ts'

export interface Outcome {
  /** The newest delivery that has come to an end; else the newest that waits. */
  readonly last: Delivery | undefined
  /** How many have come to an end, and how many of those were taken. */
  readonly ended: number
  readonly taken: number
}

/** What became of the deliveries of a webhook, which come newest first. */
export function outcomeOf(webhookId: string, deliveries: readonly Delivery[]): Outcome {
  const mine = deliveries.filter(({ webhook_id }) => webhook_id === webhookId)
  const ended = mine.filter(({ status }) => status !== 'pending')
  return {
    last: ended[0] ?? mine[0],
    ended: ended.length,
    taken: ended.filter(({ status }) => status === 'delivered').length,
  }
}
