import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { listing, pretty } from '../terminal/text.ts'

const HEADING = ['request', 'status', 'release', 'agent', 'environment', 'window', 'asked', 'actor', 'reason']

/** As many as the service gives at once. */
const MOST = 500

/** Prints promotion requests, newest first; `promote-confirm` and `promote-cancel` take their ids. */
export async function requests({ options, io, api }: Invocation): Promise<number> {
  const status = options.text('status')
  const { requests: found } = await callJson<{ requests: PromotionRequest[] }>(
    await api(),
    'GET /v1/promotion-requests',
    { query: { status, limit: MOST } },
  )
  if (options.json) {
    io.out(pretty({ requests: found }))
  } else {
    const rows = found.map(request => [
      request.request_id,
      request.status,
      request.release_id,
      request.agent_id,
      request.environment,
      request.window,
      request.created_at,
      request.actor,
      request.reason,
    ])
    io.out(listing(HEADING, rows, io))
    if (found.length === 0) io.err(`svc: no ${status === undefined ? '' : `${status} `}promotion requests\n`)
  }
  if (found.length === MOST) io.err(`svc: these are the newest ${MOST}; older ones are not shown\n`)
  return 0
}
