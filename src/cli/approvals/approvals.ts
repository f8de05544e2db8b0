import { MOST, call, list } from '../service/run.ts'
import type { SinceRequest } from '../../models/answers/promotion_request.ts'
import type { Invocation } from '../arguments/command.ts'
import { warn } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'
import { callDecision, expectedOf, printOutcome } from '../release/decisions.ts'
import { timeColumn } from '../terminal/table.ts'

export async function promoteConfirm({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const answer = await callDecision(opened, 'POST /v1/promote/confirm', {
    request_id: args[0],
    approval_reason: options.required('approval-reason'),
    ...(await expectedOf(options, opened, io)),
    ...(options.flag('dry-run') === true ? { dry_run: true } : {}),
  })
  if (!options.json && answer.since_request !== undefined) io.out(sinceText(answer.since_request))
  if (!('request_id' in answer)) return printOutcome(answer, options, io)
  warn(answer, io)
  const { request_id, approvals = [], approvals_required = 1 } = answer
  io.out(
    options.json
      ? pretty(answer)
      : `APPROVED  ${request_id}  ${approvals.length} of ${approvals_required}; more approvals are needed\n`,
  )
  return 0
}

/** What has changed since the promotion was requested. */
function sinceText({ baseline, policy, figures }: SinceRequest): string {
  const changes = [
    ...(baseline === null ? [] : [`baseline ${baseline.from ?? 'none'} → ${baseline.to ?? 'none'}`]),
    ...policy.map(({ field, from, to }) => `${field} ${JSON.stringify(from)} → ${JSON.stringify(to)}`),
    ...figures.map(({ name, from, to }) => `${name} ${from ?? 'none'} → ${to ?? 'none'}`),
  ]
  if (changes.length === 0) return 'since the request: nothing has changed\n'
  return ['since the request:', ...changes.map(change => `  ${safe(change)}`), ''].join('\n')
}

/** Ends a request without a promotion. */
const ended = (route: 'POST /v1/promote/reject' | 'POST /v1/promote/cancel', done: string) =>
  call(route, { args: ['request_id'], text: ({ request_id }) => `${request_id} ${done}\n` })

export const promoteReject = ended('POST /v1/promote/reject', 'rejected')
export const promoteCancel = ended('POST /v1/promote/cancel', 'cancelled')

/** Prints promotion requests, newest first; `approve` and `cancel` take their ids. */
export const requests = list(
  'GET /v1/promotion-requests',
  'requests',
  [
    { heading: 'request', cell: row => row.request_id, whole: true, rank: 0 },
    { heading: 'status', cell: row => row.status, rank: 1 },
    { heading: 'release', cell: row => row.release_id, whole: true, rank: 2 },
    { heading: 'agent', cell: row => row.agent_id, rank: 4 },
    { heading: 'env', cell: row => row.environment, rank: 3 },
    { heading: 'window', cell: row => row.window, rank: 8 },
    timeColumn('asked', row => row.created_at, { rank: 7 }),
    { heading: 'actor', cell: row => row.actor, rank: 6 },
    { heading: 'reason', cell: row => row.reason, rank: 5 },
  ],
  {
    most: MOST,
    empty: ({ options }) => `no ${[options.text('status'), 'promotion requests'].filter(Boolean).join(' ')}`,
  },
)
