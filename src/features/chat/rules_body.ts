import type { Result } from '../../models/documents/policy.ts'

export const FORMATS = { slack: bodyBy(slackMessage), teams: bodyBy(teamsMessage) } as const

/**
 * The body that a payload is sent as. A payload that makes no message is sent as it is: nothing that was written to
 * the outbox may be lost for its looks. `publicUrl` is where people find the web UI.
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

/** The message about a decision for people in a chat. All texts are bounded, and show as they are in every format. */
interface ChatMessage {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly reasons: readonly string[]
  /** The page about it; undefined where the service doesn't know its own address. */
  readonly link: string | undefined
}

/** The message about a payload of the outbox; undefined for payloads of other kinds. `publicUrl` is where the web UI is. */
function chatMessage(payload: string, publicUrl: string | undefined): ChatMessage | undefined {
  const { event, created_at, data } = JSON.parse(payload) as Payload
  if (typeof data !== 'object' || data === null) return undefined
  const [agent, environment] = [short(data.agent_id), short(data.environment)]
  const where = [agent, environment].filter(part => part !== '').join(' in ')
  const facts = [
    ['Release', named(data.version, data.release_id)],
    ['Replaces', named(data.baseline_version, data.baseline_release_id)],
    ['By', short(data.actor)],
    ['Reason', clipped(data.reason, REASON_CHARS)],
    ['At', short(created_at)],
  ] as const
  return {
    title: `${titleOf(String(event), data.policy)}${where === '' ? '' : `: ${where}`}`,
    facts: facts.filter(([, value]) => value !== ''),
    reasons: reasonsOf(data.policy),
    link: publicUrl === undefined ? undefined : linkTo(publicUrl, data),
  }
}

/** Longest texts, characters: together far below what either chat takes, 28 kB in Teams. */
const NAME_CHARS = 100

const REASON_CHARS = 300

const MOST_REASONS = 8

function titleOf(event: string, policy: unknown): string {
  const isNotYet = event === 'promote.blocked' && resultIn(policy) === 'not_yet'
  return isNotYet ? '⏳ Not promoted yet' : (TITLES[event] ?? short(event))
}

const TITLES: Readonly<Record<string, string>> = {
  'promote.succeeded': '✅ Promoted',
  'promote.blocked': '⛔ Promotion blocked',
  'rollback.succeeded': '↩️ Rolled back',
  'rollback.forced': '⚠️ Forced rollback',
  'promotion.requested': '⏳ Approval wanted',
  'test.ping': '🔔 Test of this webhook',
}

interface Payload {
  readonly event?: unknown
  readonly created_at?: unknown
  readonly data?: Readonly<Record<string, unknown>> | null
}

/** The verdict first, then each reason of it. */
function reasonsOf(policy: unknown): string[] {
  if (typeof policy !== 'object' || policy === null) return []
  const { reasons } = policy as { reasons?: unknown }
  const all = Array.isArray(reasons) ? reasons : []
  const shown = all.slice(0, MOST_REASONS).map(reason => clipped(reason, REASON_CHARS))
  const more = all.length - shown.length
  const result = resultIn(policy)
  return [
    ...(result === undefined ? [] : [SENTENCES[result]]),
    ...shown,
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

function resultIn(policy: unknown): Result | undefined {
  const { result } = (policy ?? {}) as { result?: Result }
  return result !== undefined && result in SENTENCES ? result : undefined
}

const SENTENCES: Readonly<Record<Result, string>> = {
  passed: 'The policy passes.',
  first: 'First promotion: nothing was compared, and no policy was evaluated.',
  forced: 'No policy was evaluated.',
  not_yet: 'No limit is violated, but there is too little data to decide.',
  blocked: 'The policy blocks.',
}

/** A release by its version, where the payload has that, and its id. */
function named(version: unknown, id: unknown): string {
  return short(version) === '' ? short(id) : `${short(version)} (${short(id)})`
}

function short(value: unknown): string {
  return clipped(value, NAME_CHARS)
}

/** A text of one line that shows in the order it has, cut at a whole character. */
function clipped(value: unknown, most: number): string {
  if (typeof value !== 'string') return ''
  const line = value
    .slice(0, most * 4)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const chars = Array.from(line)
  return chars.length > most ? `${chars.slice(0, most - 1).join('')}…` : line
}

function linkTo(publicUrl: string, { action_id, request_id }: Readonly<Record<string, unknown>>): string {
  const query =
    typeof action_id === 'string'
      ? { view: 'log', action: action_id }
      : typeof request_id === 'string'
        ? { view: 'place', request: request_id }
        : { view: 'webhooks' }
  return `${publicUrl.replace(/(?<!\/)\/+$/, '')}/?${new URLSearchParams(query)}`
}
