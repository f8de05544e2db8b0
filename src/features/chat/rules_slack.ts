import type { ChatMessage } from './rules_message.ts'

/** Longest header of Slack, characters. */
const HEADER_CHARS = 150

/**
 * A message for an incoming webhook of Slack (docs.slack.dev, Block Kit). What others wrote stands in `plain_text`
 * only, where nothing is a mention, a link or an emoji. `text` is what notifications show: its stars and lines are no
 * markup either, and its `&`, `<` and `>` are escaped, with which a mention would start.
 */
export function slackMessage({
  title,
  facts,
  reasons,
  link,
}: ChatMessage): Readonly<Record<string, unknown>> {
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
