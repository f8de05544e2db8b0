import type { WebhookFormat } from '../../models/names.ts'
import { chatMessage } from './message.ts'
import { slackMessage } from './slack.ts'
import { teamsMessage } from './teams.ts'

/**
 * The body that a payload is sent as. A payload that makes no message is sent as it is: nothing that was written to
 * the outbox may be lost for its looks. `publicUrl` is where people find the pages.
 */
export function bodyFor(
  format: WebhookFormat,
  payload: string,
  publicUrl: string | null | undefined,
): string {
  if (format === 'json') return payload
  const message = chatMessage(payload, publicUrl ?? undefined)
  if (message === undefined) return payload
  return JSON.stringify(format === 'slack' ? slackMessage(message) : teamsMessage(message))
}
