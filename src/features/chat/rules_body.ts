import { type ChatMessage, chatMessage } from './rules_message.ts'

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
 * An Adaptive Card for a Workflows webhook of Microsoft Teams, version 1.4 of the schema. What others wrote is in
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

/** Longest header of Slack, characters. */
const HEADER_CHARS = 150

/**
 * A message for an incoming webhook of Slack (docs.slack.dev, Block Kit). What others wrote is in `plain_text`
 * only, where nothing is a mention, a link or an emoji. `text` is what notifications show: its stars and lines are no
 * markup either, and its `&`, `<` and `>` are escaped, with which a mention would start.
 */
function slackMessage({ title, facts, reasons, link }: ChatMessage): Readonly<Record<string, unknown>> {
  return {
    text: escaped([title, ...reasons].join('\n')),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(Array.from(title).slice(0, HEADER_CHARS).join('')) },
      { type: 'section', fields: facts.map(([name, value]) => plain(`${name}\n${value}`)) },
      ...reasons.map(reason => ({ type: 'section', text: plain(reason) })),
      ...(link === undefined ? [] : [button(link)]),
    ],
  }
}

function plain(text: string): object {
  return { type: 'plain_text', text, emoji: false }
}

function button(url: string): object {
  return { type: 'actions', elements: [{ type: 'button', text: plain('Open'), url, action_id: 'open' }] }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
