import type { Delivery } from '../../models/answers/webhook.ts'
import { callJson } from '../../cli/service/api.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty } from '../../cli/terminal/text.ts'

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
