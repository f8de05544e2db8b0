import { type ChatMessage, chatMessage } from './rules_message.ts'
import { slackMessage } from './rules_slack.ts'

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

/**
 * An Adaptive Card for a Workflows webhook of Microsoft Teams, version 1.4 of the schema. What others wrote stands in
 * the text runs of a `RichTextBlock`, which, unlike a `TextBlock`, know no Markdown: nothing is a link or a mention.
 */
function teamsMessage({ title, facts, reasons, link }: ChatMessage): Readonly<Record<string, unknown>> {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      richText([{ text: title, weight: 'Bolder', size: 'Medium' }]),
      ...facts.map(([name, value]) => richText([{ text: `${name}: `, isSubtle: true }, { text: value }])),
      ...reasons.map(reason => richText([{ text: reason }])),
    ],
    ...(link === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

function richText(runs: readonly Readonly<Record<string, unknown>>[]): object {
  return { type: 'RichTextBlock', inlines: runs.map(run => ({ type: 'TextRun', ...run })) }
}
