import type { ChatMessage } from './rules_message.ts'

/**
 * An Adaptive Card for a Workflows webhook of Microsoft Teams, version 1.4 of the schema. What others wrote stands in
 * the text runs of a `RichTextBlock`, which, unlike a `TextBlock`, know no Markdown: nothing is a link or a mention.
 */
export function teamsMessage({
  title,
  facts,
  reasons,
  link,
}: ChatMessage): Readonly<Record<string, unknown>> {
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
