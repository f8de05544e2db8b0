import { badRequest } from '../../base/errors.ts'
import type { PolicyTest } from '../../models/answers/explanation.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { readModel } from '../../cli/files.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { nextAfter } from '../../cli/service/pages.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { count, pretty, safe } from '../../cli/terminal/text.ts'

type Change = PolicyTest['changes'][number]

const COLUMNS: readonly Column<Change>[] = [
  { heading: 'seq', cell: row => row.audit_seq, whole: true, right: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 6 }),
  { heading: 'action', cell: row => row.action, rank: 5 },
  { heading: 'agent', cell: row => row.agent_id, rank: 3 },
  { heading: 'env', cell: row => row.environment, rank: 4 },
  { heading: 'release', cell: row => row.release_id, whole: true, rank: 7 },
  { heading: 'was', cell: row => wordOf(row.recorded.passed), whole: true, rank: 1 },
  { heading: 'would', cell: row => wordOf(row.draft.passed), whole: true, rank: 1 },
  { heading: 'why', cell: row => row.why.join('; '), rank: 2 },
]

/**
 * What a policy would have decided on past actions. With --fail-on-change it exits 1 where one comes out otherwise, where
 * that is unknown, or where the agent or environment has none.
 */
export async function testPolicy({ args, options, io, api }: Invocation): Promise<number> {
  const [last, since] = [options.number('last'), options.text('since')]
  if (last !== undefined && since !== undefined) throw badRequest('--last and --since exclude each other')
  const policy = await readModel(args[0]!, io.cwd, 'Policy')
  const request = { policy, since, agent_id: options.text('agent'), environment: options.text('env') }
  const result = await tested(await api(), request, last ?? (since === undefined ? LAST : Infinity))
  io.out(options.json ? pretty(result) : listing(COLUMNS, result.changes, io))
  for (const warning of result.warnings ?? []) io.err(`svc: warning: ${safe(warning)}\n`)
  io.err(`svc: ${summary(result)}\n`)
  if (options.flag('fail-on-change') !== true) return 0
  // A quiet week has no actions; an agent or environment that never had one is a slip.
  const isNamed = request.agent_id !== undefined || request.environment !== undefined
  if (isNamed && since === undefined && result.tested === 0) {
    throw badRequest('Nothing was tried: there is no action of that agent and environment.')
  }
  return result.changed + result.unknown > 0 ? 1 : 0
}

/** Actions that are looked at unless it is said how many. */
const LAST = 500
/** As many as the service looks at in one request. */
const PAGE = 500

async function tested(api: Api, request: object, last: number): Promise<PolicyTest> {
  let result: PolicyTest | undefined
  let after: number | undefined
  for (let left = last; left > 0;) {
    const page = await callJson(api, 'POST /v1/policy/test', {
      body: { ...request, last: Math.min(PAGE, left), after },
    })
    result = result === undefined ? page : added(result, page)
    after = nextAfter(page, after, page.tested > 0)
    if (after === undefined) break
    left -= page.tested
  }
  if (result === undefined) throw badRequest('--last must be at least 1')
  return result
}

function added(before: PolicyTest, page: PolicyTest): PolicyTest {
  return {
    ...page,
    tested: before.tested + page.tested,
    changed: before.changed + page.changed,
    unknown: before.unknown + page.unknown,
    without_evidence: before.without_evidence + page.without_evidence,
    changes: [...before.changes, ...page.changes],
  }
}

function wordOf(passed: boolean | null): string {
  if (passed === null) return 'unknown'
  return passed ? 'pass' : 'block'
}

function summary({ tested: actions, changed, unknown, without_evidence }: PolicyTest): string {
  return [
    `${count(actions)} ${actions === 1 ? 'action' : 'actions'} tried: ${count(changed)} would come out otherwise`,
    ...(unknown === 0 ? [] : [`of ${count(unknown)} the evidence doesn't tell`]),
    ...(without_evidence === 0 ? [] : [`${count(without_evidence)} have no evidence`]),
  ].join(', ')
}
