import { badRequest } from '../../base/errors.ts'
import { durationMs } from '../../base/time.ts'
import type { Delivery } from './models.ts'
import { callJson } from '../../cli/service/api.ts'
import { call } from '../../cli/service/run.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'

import { OUTPUT, PROFILE_OPTION, ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { among, commands, maybeEmpty, whole } from '../../cli/arguments/records.ts'
import { WEBHOOK_EVENTS as EVENTS } from '../../models/names.ts'

/** `svc webhook …`: changes of a webhook, and its deliveries */
export const COMMANDS = commands({
  'webhook update <WEBHOOK_ID>': {
    summary: 'Change a webhook (name a remote service by --profile or SERVICE_URL)',
    options: {
      '--url <URL>': 'Send to this URL, waiting deliveries too',
      '--event <EVENT>': among(EVENTS, 'Replace its events with these', { many: true }),
      '--description <TEXT>': maybeEmpty('What it is for'),
      '--enable': 'Resume sending',
      '--disable': 'Stop sending; keep waiting deliveries',
      '--end-rotation': 'Stop signing with the old secret',
      ...OUTPUT,
      ...PROFILE_OPTION,
    },
    example: 'svc webhook update whk_0123456789ab --disable',
    run: call('PATCH /v1/webhooks/{webhook_id}', {
      as: { event: 'events', enable: null, disable: null },
      takes: changesOf,
      text: ({ webhook_id, enabled, events, url }) =>
        `${webhook_id} ${enabled ? `sends ${events.join(', ')} to ${safe(url)}` : 'is disabled'}\n`,
    }),
  },
  'webhook rotate <WEBHOOK_ID>': {
    summary: 'Give a webhook a new secret and print it, this once; the old one also signs for a while',
    options: {
      '--overlap, --overlap-s <SECONDS>':
        'How long the old one also signs: seconds, or such as 1h (default 86400, a day; 0 ends it now)',
      ...ANSWER,
    },
    example: 'svc webhook rotate whk_0123456789ab',
    run: call('POST /v1/webhooks/{webhook_id}/rotate', {
      takes: ({ options }) => ({ overlap_s: secondsOf(options.text('overlap-s')) }),
      text: ({ secret }) => `${secret}\n`,
      note: ({ previous_secret_until: until }) =>
        `this is the new secret; it is not shown again\nsvc: ${
          until === undefined
            ? 'from now on only the new secret signs deliveries'
            : `the old secret also signs until ${until}; give the receiver the new one by then`
        }`,
    }),
  },
  'webhook deliveries [WEBHOOK_ID]': {
    summary: 'List deliveries, newest first',
    lists: 'delivery',
    options: {
      '--failed': 'Only failed ones',
      '--limit <N>': whole('At most N (default 50, at most 500)'),
      ...LISTED,
    },
    example: 'svc webhook deliveries --failed',
    run: deliveries,
  },
  'webhook replay <DELIVERY_ID>': {
    summary: 'Send a delivery again, under the same id',
    options: ANSWER,
    example: 'svc webhook replay 01234567-89ab-8001-8000-ba9876543210',
    run: call('POST /v1/webhook-deliveries/{delivery_id}/replay', {
      text: ({ delivery_id }) => `${delivery_id} is sent again\n`,
    }),
  },
})

const COLUMNS: readonly Column<Delivery>[] = [
  { heading: 'delivery', cell: row => row.delivery_id, whole: true, rank: 0 },
  timeColumn('created', row => row.created_at, { rank: 3 }),
  { heading: 'status', cell: row => row.status, rank: 1 },
  { heading: 'event', cell: row => row.event, rank: 2 },
  { heading: 'webhook', cell: row => row.webhook_id, whole: true, rank: 8 },
  { heading: 'attempts', cell: row => row.attempts, right: true, rank: 6 },
  { heading: 'answer', cell: row => row.response_code, right: true, rank: 5 },
  { heading: 'ms', cell: row => row.duration_ms, right: true, rank: 7 },
  { heading: 'said', cell: row => row.problem ?? row.response_text, rank: 4 },
]

const DEFAULT_LIMIT = 50

async function deliveries({ args, options, io, api }: Invocation): Promise<number> {
  const failed = options.flag('failed') === true
  const limit = options.number('limit') ?? DEFAULT_LIMIT
  const query = { limit, status: failed ? 'failed' : undefined }
  const [webhook_id] = args
  const listed = await (webhook_id === undefined
    ? callJson(await api(), 'GET /v1/webhook-deliveries', { query })
    : callJson(await api(), 'GET /v1/webhooks/{webhook_id}/deliveries', {
        path: { webhook_id },
        query,
      }))
  io.out(options.json ? pretty(listed) : listing(COLUMNS, listed.deliveries, io))
  if (listed.deliveries.length === 0 && !options.json)
    io.err(`svc: no ${failed ? 'failed ' : ''}deliveries\n`)
  if (listed.deliveries.length === limit)
    io.err(`svc: only the newest ${limit} are shown; --limit takes up to 500\n`)
  return 0
}

/** What of a webhook changes besides what is sent as it was typed. Throws 400 where nothing does. */
function changesOf({ options }: Invocation): { readonly url?: string; readonly enabled?: boolean } {
  const [enable, disable] = [options.flag('enable') === true, options.flag('disable') === true]
  if (enable && disable) throw badRequest('--enable and --disable contradict each other.')
  const url = options.text('url')
  if (url === undefined && Object.keys(options.fields).length === 0) {
    throw badRequest(
      'Nothing to change: give --url, --event, --description, --enable, --disable or --end-rotation.',
    )
  }
  return { ...(url === undefined ? {} : { url }), ...(enable || disable ? { enabled: enable } : {}) }
}

/** Seconds, from their number or from an age such as 1h. */
function secondsOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  const ms = /^\d{1,9}$/.test(typed) ? 1000 * Number(typed) : durationMs(typed)
  if (ms !== undefined) return ms / 1000
  throw badRequest(
    `--overlap-s must be a number of seconds, or an age such as 90m, 24h or 7d (it is '${typed}').`,
  )
}
