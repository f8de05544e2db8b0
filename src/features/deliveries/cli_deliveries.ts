import { badRequest } from '../../base/errors.ts'
import { durationMs } from '../../base/time.ts'
import type { Delivery } from './models.ts'
import { callJson } from '../../cli/service/api.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'

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

export async function deliveries({ args, options, io, api }: Invocation): Promise<number> {
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

export async function replay({ args, options, io, api }: Invocation): Promise<number> {
  const delivery = await callJson(await api(), 'POST /v1/webhook-deliveries/{delivery_id}/replay', {
    path: { delivery_id: args[0]! },
  })
  io.out(options.json ? pretty(delivery) : `${delivery.delivery_id} is sent again\n`)
  return 0
}

export async function update({ args, options, io, api }: Invocation): Promise<number> {
  const [enable, disable] = [options.flag('enable') === true, options.flag('disable') === true]
  if (enable && disable) throw badRequest('--enable and --disable contradict each other.')
  const [url, description] = [options.text('url'), options.text('description')]
  const events = options.all('event')
  const body = {
    ...(url === undefined ? {} : { url }),
    ...(events.length === 0 ? {} : { events }),
    ...(description === undefined ? {} : { description }),
    ...(enable || disable ? { enabled: enable } : {}),
    ...(options.flag('end-rotation') === true ? { end_rotation: true } : {}),
  }
  if (Object.keys(body).length === 0) {
    throw badRequest(
      'Nothing to change: give --url, --event, --description, --enable, --disable or --end-rotation.',
    )
  }
  const path = { webhook_id: args[0]! }
  const changed = await callJson(await api(), 'PATCH /v1/webhooks/{webhook_id}', { path, body })
  const { webhook_id, enabled } = changed
  const state = enabled ? `sends ${changed.events.join(', ')} to ${safe(changed.url)}` : 'is disabled'
  io.out(options.json ? pretty(changed) : `${webhook_id} ${state}\n`)
  return 0
}

export async function rotate({ args, options, io, api }: Invocation): Promise<number> {
  const overlap_s = secondsOf(options.text('overlap-s'))
  const rotated = await callJson(await api(), 'POST /v1/webhooks/{webhook_id}/rotate', {
    path: { webhook_id: args[0]! },
    body: overlap_s === undefined ? {} : { overlap_s },
  })
  io.out(options.json ? pretty(rotated) : `${rotated.secret}\n`)
  const until = rotated.previous_secret_until
  io.err('svc: this is the new secret; it is not shown again\n')
  io.err(
    until === undefined
      ? 'svc: deliveries are signed with it alone from now on\n'
      : `svc: the secret before signs too until ${until}; give the receiver the new one by then\n`,
  )
  return 0
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
