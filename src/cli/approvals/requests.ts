import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { pretty } from '../terminal/text.ts'

const COLUMNS: readonly Column<PromotionRequest>[] = [
  { heading: 'request', cell: row => row.request_id, whole: true, rank: 0 },
  { heading: 'status', cell: row => row.status, rank: 1 },
  { heading: 'release', cell: row => row.release_id, whole: true, rank: 2 },
  { heading: 'agent', cell: row => row.agent_id, rank: 4 },
  { heading: 'env', cell: row => row.environment, rank: 3 },
  { heading: 'window', cell: row => row.window, rank: 8 },
  timeColumn('asked', row => row.created_at, { rank: 7 }),
  { heading: 'actor', cell: row => row.actor, rank: 6 },
  { heading: 'reason', cell: row => row.reason, rank: 5 },
]

/** As many as the service gives at once. */
const MOST = 500

/** Prints promotion requests, newest first; `promote-confirm` and `promote-cancel` take their ids. */
export async function requests({ options, io, api }: Invocation): Promise<number> {
  const status = options.text('status')
  const { requests: found } = await callJson(await api(), 'GET /v1/promotion-requests', {
    query: { status, limit: MOST },
  })
  io.out(options.json ? pretty({ requests: found }) : listing(COLUMNS, found, io))
  if (found.length === 0 && !options.json) {
    io.err(`svc: no ${status === undefined ? '' : `${status} `}promotion requests\n`)
  }
  if (found.length === MOST) io.err(`svc: these are the newest ${MOST}; older ones are not shown\n`)
  return 0
}
