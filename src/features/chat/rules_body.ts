import { type ChatMessage, chatMessage } from './rules_message.ts'
import { slackMessage } from './rules_slack.ts'
import { teamsMessage } from './rules_teams.ts'

export const FORMATS = { slack: bodyBy(slackMessage), teams: bodyBy(teamsMessage) } as const

/**
 * The body that a payload is sent as. A payload that makes no message is sent as it is: nothing that was written to
 * the outbox may be lost for its looks. `publicUrl` is where people find the pages.
 */
function bodyBy(write: (message: ChatMessage) => unknown) {
  return (payload: string, publicUrl?: string | null): string => {
    const message = chatMessage(payload, publicUrl ?? undefined)
    return message === undefined ? payload : JSON.stringify(write(message))
  }
}
