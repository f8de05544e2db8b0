import { resultText } from '../../cli/release/result_text.ts'
import { RESULT_WORDS, resultOf } from '../../rules/result.ts'
import { badRequest } from '../../base/errors.ts'
import { nextAfter } from '../../cli/service/pages.ts'
import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Explanation, PolicyTest } from './models.ts'
import type { Invocation, Run } from '../../cli/arguments/command.ts'
import { decisionSentence } from '../../rules/decision_sentence.ts'
import { limitOf } from '../../models/limits.ts'
import { isFloor } from '../../rules/limits.ts'
import { readModel } from '../../cli/files.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { call } from '../../cli/service/run.ts'
import { type Io, painter, warn } from '../../cli/terminal/io.ts'
import { type Column, aligned, listing, timeColumn } from '../../cli/terminal/table.ts'
import { count, percent, points, pretty, safe, signed } from '../../cli/terminal/text.ts'
import type { ChangedDecision } from './test_policy.ts'

const EXPLAINED = {
  text: (explanation: Explanation, { io }: Invocation): string => explanationText(explanation, io),
  exits: ({ by, equal }: Explanation): number => (by === 'record' && !equal ? 1 : 0),
} as const
const byRecord = call('GET /v1/actions/{action_id}/explain', EXPLAINED)
const byAnother = call('POST /v1/actions/{action_id}/explain', {
  as: { against: null },
  takes: async ({ options, io }) => ({ policy: await readModel(options.required('against'), io, 'Policy') }),
  ...EXPLAINED,
})

/** Decides an action again. Exits 1 where what comes out is not what was recorded; by another policy it may differ. */
export const explain: Run = invocation =>
  (invocation.options.given('against') ? byAnother : byRecord)(invocation)

function explanationText(explanation: Explanation, io: Io): string {
  const { recorded, replayed, limits, window, evaluated_at, policy_id, rules_version, by } = explanation
  const rules = `${by === 'record' ? 'its policy' : 'the policy'} ${policy_id}, by rules ${by === 'record' ? rules_version : 'of this version'}`
  return safeLines([
    decisionSentence(explanation),
    `window ${window.text}, ${window.since} to ${window.until}; evaluated ${evaluated_at}; ${rules}`,
    '',
  ]).concat(
    limits.length === 0 ? 'no limit was evaluated\n' : aligned(limitLines(limits), LAYOUT, io.outColumns),
    '\n',
    verdictLine('recorded', recorded, io),
    verdictLine('replayed', replayed, io),
    ...replayed.unknown.map(text => `  ? ${safe(text)}\n`),
    conclusion(explanation, io),
  )
}

function safeLines(lines: readonly string[]): string {
  return lines.map(line => `${safe(line)}\n`).join('')
}

const LAYOUT = [
  {},
  { right: true, rank: 1 },
  { right: true, rank: 2 },
  { rank: 4 },
  { right: true, rank: 5 },
  { right: true, rank: 6 },
  { whole: true, rank: 3 },
]

function limitLines(limits: readonly ExplainedLimit[]): string[][] {
  const heading = ['limit', 'value', 'must be', 'interval', 'baseline n', 'candidate n', 'verdict']
  return [
    heading,
    ...limits.map(limit => [
      safe(limit.policy_key),
      written(limit.value, limit.policy_key),
      boundOf(limit),
      intervalOf(limit),
      limit.baseline_runs === null ? '-' : count(limit.baseline_runs),
      limit.candidate_runs === null ? '-' : count(limit.candidate_runs),
      limit.verdict + (limit.passed === true && limit.verdict !== 'pass' ? ', passes' : ''),
    ]),
  ]
}

/** What the value has to be: `at most 0.008`, `at least 0.9`, `HIGH`, `for 24h`. */
function boundOf({ limit, policy_key }: ExplainedLimit): string {
  const text = written(limit, policy_key)
  if (typeof limit === 'number') return `${isFloor(policy_key) ? 'at least' : 'at most'} ${text}`
  if (policy_key === 'freeze') return `not ${text}`
  return policy_key === 'promotes_from' && text !== 'once' ? `for ${text}` : text
}

function intervalOf({ low, high, policy_key }: ExplainedLimit): string {
  if (low === null && high === null) return '-'
  const end = (value: number | null): string => (value === null ? 'none' : written(value, policy_key))
  return `[${end(low)}, ${end(high)}]`
}

function written(value: number | string | null, key: string): string {
  if (value === null) return '-'
  if (typeof value === 'string') return safe(value)
  const unit = limitOf(key)?.unit
  if (unit === 'rise') return signed(value, percent)
  if (unit === 'points') return signed(value, points)
  return unit === 'share' ? percent(value) : String(Number(value.toPrecision(6)))
}

function verdictLine(
  label: string,
  { passed, reasons }: { readonly passed: boolean | null; readonly reasons: readonly string[] },
  io: Io,
): string {
  const word = passed === null ? 'UNKNOWN' : resultText(resultOf({ passed, reasons }), io)
  return `${label}  ${word}\n${reasons.map(reason => `  - ${safe(reason)}\n`).join('')}`
}

function conclusion({ by, equal, replayed }: Explanation, io: Io): string {
  const paint = painter(io)
  if (by === 'record') {
    return equal
      ? 'the replay is equal to the record\n'
      : `${paint('red', 'the replay is NOT equal to the record')}: run \`svc doctor --deep\`\n`
  }
  if (replayed.passed === null) return 'the evidence is not enough to decide by this policy\n'
  return equal ? 'this policy decides the same\n' : 'this policy decides differently\n'
}

const COLUMNS: readonly Column<ChangedDecision>[] = [
  { heading: 'seq', cell: row => row.audit_seq, whole: true, right: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 6 }),
  { heading: 'action', cell: row => row.action, rank: 5 },
  { heading: 'agent', cell: row => row.agent_id, rank: 3 },
  { heading: 'env', cell: row => row.environment, rank: 4 },
  { heading: 'release', cell: row => row.release_id, whole: true, rank: 7 },
  { heading: 'was', cell: row => wordOf(row.recorded), whole: true, rank: 1 },
  { heading: 'would', cell: row => wordOf(row.draft), whole: true, rank: 1 },
  { heading: 'why', cell: row => row.why.join('; '), rank: 2 },
]

/**
 * What a policy would have decided on past actions. With --fail-on-change it exits 1 where one comes out otherwise, where
 * that is unknown, or where the agent or environment has none.
 */
export async function testPolicy({ args, options, io, api }: Invocation): Promise<number> {
  const [last, since] = [options.number('last'), options.text('since')]
  if (last !== undefined && since !== undefined) throw badRequest('--last and --since exclude each other')
  const policy = await readModel(args[0]!, io, 'Policy')
  const request = { policy, since, agent_id: options.text('agent'), environment: options.text('env') }
  const opened = await api()
  const result = await tested(opened, request, last ?? (since === undefined ? LAST : Infinity))
  io.out(options.json ? pretty(result) : listing(COLUMNS, result.changes, io))
  warn(result, io)
  io.err(`svc: ${summary(result)}\n`)
  if (options.flag('fail-on-change') !== true) return 0
  // A quiet week has no actions; an agent or environment that never had one is a slip.
  const isNamed = request.agent_id !== undefined || request.environment !== undefined
  if (
    isNamed &&
    result.tested === 0 &&
    (await tested(opened, { ...request, since: undefined }, 1)).tested === 0
  ) {
    throw badRequest('Nothing was tried: there is no action of that agent and environment.')
  }
  return result.changed + result.unknown > 0 ? 1 : 0
}

/** Actions that are checked unless --last says how many. */
const LAST = 500
/** As many as the service checks in one request. */
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

function wordOf({ passed, reasons }: ChangedDecision['draft'] | ChangedDecision['recorded']): string {
  return passed === null ? 'unknown' : RESULT_WORDS[resultOf({ passed, reasons })]
}

function summary({ tested: actions, changed, unknown, without_evidence }: PolicyTest): string {
  return [
    `${count(actions)} ${actions === 1 ? 'action' : 'actions'} tried: ${count(changed)} would be decided differently`,
    ...(unknown === 0 ? [] : [`for ${count(unknown)} the evidence is not enough`]),
    ...(without_evidence === 0 ? [] : [`${count(without_evidence)} have no evidence`]),
  ].join(', ')
}
