import type { ExplainedLimit, Explanation } from '../../models/answers/explanation.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { isFloor } from '../../rules/limits.ts'
import { readModel } from '../../cli/files.ts'
import { callJson } from '../../cli/service/api.ts'
import { type Io, painter } from '../../cli/terminal/io.ts'
import { aligned } from '../../cli/terminal/table.ts'
import { count, percent, points, pretty, safe, signed } from '../../cli/terminal/text.ts'

/** Decides an action again. Exits 1 where what comes out is not what was recorded; by another policy it may differ. */
export async function explain({ args, options, io, api }: Invocation): Promise<number> {
  const file = options.text('against')
  const policy = file === undefined ? undefined : await readModel(file, io.cwd, 'Policy')
  const path = { action_id: args[0]! }
  const explanation =
    policy === undefined
      ? await callJson(await api(), 'GET /v1/actions/{action_id}/explain', { path })
      : await callJson(await api(), 'POST /v1/actions/{action_id}/explain', {
          path,
          body: { policy },
        })
  io.out(options.json ? pretty(explanation) : explanationText(explanation, io))
  return explanation.by === 'record' && !explanation.equal ? 1 : 0
}

function explanationText(explanation: Explanation, io: Io): string {
  const { action, release_id, agent_id, environment, audit_seq, action_id, created_at } = explanation
  const { recorded, replayed, limits, window, evaluated_at, policy_id, rules_version, by } = explanation
  const rules = `${by === 'record' ? 'its policy' : 'the policy'} ${policy_id}, by rules ${by === 'record' ? rules_version : 'of this version'}`
  return safeLines([
    `${action} ${release_id} of ${agent_id} in ${environment}: ${audit_seq}, ${action_id}, ${created_at}`,
    `window ${window.text}, ${window.since} to ${window.until}; evaluated ${evaluated_at}; ${rules}`,
    '',
  ]).concat(
    limits.length === 0 ? 'no limit was asked\n' : aligned(limitLines(limits), LAYOUT, io.outColumns),
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
  const heading = ['limit', 'value', 'has to be', 'interval', 'baseline n', 'candidate n', 'verdict']
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
  if (key.endsWith('_pct')) return signed(value, percent)
  if (key === 'max_error_rate') return percent(value)
  if (key === 'max_error_rate_increase') return signed(value, points)
  return String(Number(value.toPrecision(6)))
}

function verdictLine(
  label: string,
  { passed, reasons }: { readonly passed: boolean | null; readonly reasons: readonly string[] },
  io: Io,
): string {
  const paint = painter(io)
  const word = passed === null ? 'UNKNOWN' : passed ? paint('green', 'PASS') : paint('red', 'BLOCK')
  return `${label}  ${word}\n${reasons.map(reason => `  - ${safe(reason)}\n`).join('')}`
}

function conclusion({ by, equal, replayed }: Explanation, io: Io): string {
  const paint = painter(io)
  if (by === 'record') {
    return equal
      ? 'the replay is equal to the record\n'
      : `${paint('red', 'the replay is NOT equal to the record')}: run \`svc doctor --deep\`\n`
  }
  if (replayed.passed === null) return 'the evidence does not tell what this policy would have decided\n'
  return equal ? 'this policy decides the same\n' : 'this policy decides otherwise\n'
}
