import { count, firstFew, matches, safe } from '../../base/text.ts'
import type { PowerDifference } from '../../models/answers/capabilities.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { EFFECTS, type Effect } from '../../models/names.ts'
import type { ConditionEvidence, DecidedRelease } from '../../rules/judge.ts'
import { type JudgedKey, conditionBy } from '../../rules/judged_keys.ts'
import { type PolicyRule, ruleText } from '../../rules/scope.ts'
import { WIDER, nameOf } from './rules_power.ts'
import type { Power } from '../../rules/power.ts'

/** What promotions are judged by, as evidence keeps it under `gates`: each only where the policy demands it. */
interface CapabilityFacts {
  readonly capabilities?: PowerFacts
  readonly max_undeclared_tool_calls?: UndeclaredFacts
}

export interface PowerFacts {
  /** Null where both may do the same. */
  readonly difference: PowerDifference | null
  /** Who acknowledged it and wants the promotion, where another one has to. */
  readonly acknowledged_by_self?: string
  /** Who acknowledged it, of whom nobody can say that this is another person, where it has to be one. */
  readonly acknowledged_unproven?: string
  /** What the policy forbade, and what of the candidate that is. */
  readonly forbid: readonly string[]
  readonly forbidden: readonly string[]
  /** Why the candidate may have what is forbidden, where that is unknown. */
  readonly open?: string
}

export interface UndeclaredFacts {
  /** Whether the candidate says which tools it has. */
  readonly declared: boolean
  /** Who keeps runs of the window as sums, which say nothing of tools. */
  readonly kept_by?: string
  /** Calls of others in the window, in whole minutes. */
  readonly calls: number
  /** Those of most calls. */
  readonly names: readonly { readonly name: string; readonly calls: number }[]
}

/** What a row is worked out from besides the facts. */
interface Question extends DecidedRelease {
  readonly rules: readonly PolicyRule[]
  /** Whether what is unknown blocks. */
  readonly strict: boolean
}

/** A condition on the capabilities of a release and what it did. */
export const CAPABILITY_RULE = conditionBy(['capabilities', 'max_undeclared_tool_calls'], judgeCapabilities)

function judgeCapabilities(
  { gates = {}, policy, policy_scope, strict }: ConditionEvidence,
  decided: DecidedRelease,
): readonly JudgedKey[] {
  const { capabilities: power, max_undeclared_tool_calls: undeclared } = gates as CapabilityFacts
  const { capabilities: wanted, max_undeclared_tool_calls: most } = policy
  const question = { ...decided, rules: policy_scope?.rules ?? [], strict: strict === true }
  return [
    ...(wanted == null || power === undefined ? [] : powerRows(power, wanted, question)),
    ...(most == null || undeclared === undefined ? [] : [undeclaredRow(undeclared, most, question)]),
  ]
}

function powerRows(
  facts: PowerFacts,
  { widened = 'warn', forbid = [] }: NonNullable<Policy['capabilities']>,
  question: Question,
): JudgedKey[] {
  return [
    widenedRow(facts, widened, question),
    ...(forbid.length === 0
      ? []
      : JSON.stringify(forbid) === JSON.stringify(facts.forbid)
        ? [forbiddenRow(facts, question)]
        : [{ ...FORBIDDEN, value: null, passed: null, text: OTHER_FORBIDDEN }]),
  ]
}

const FORBIDDEN = { policy_key: 'capabilities', metric: 'capabilities.forbid', limit: 0 } as const
const OTHER_FORBIDDEN = "capabilities.forbid can't be told: the policy of the decision forbade something else"

function widenedRow(
  { difference, acknowledged_by_self: self, acknowledged_unproven: unproven }: PowerFacts,
  widened: 'warn' | 'block',
  { release_id, environment, rules }: Question,
): JudgedKey {
  const wider = difference?.widened ?? 0
  const row = {
    policy_key: 'capabilities',
    metric: 'power',
    value: wider === 0 ? 'not wider' : `${wider} wider`,
    limit: widened,
  }
  if (difference === null || wider === 0) return { ...row, passed: true, text: null }
  const words = wideningText(difference)
  const { acknowledged } = difference
  if (acknowledged !== undefined) {
    const { actor, reason, created_at } = acknowledged
    return {
      ...row,
      passed: true,
      text: `${words}; ${safe(actor)} acknowledged that at ${created_at}: ${safe(reason)}`,
    }
  }
  if (widened === 'warn') return { ...row, passed: true, text: words }
  const how =
    self !== undefined
      ? `${safe(self)} acknowledged it and wants the promotion: somebody else must acknowledge it (approval_by_another)`
      : unproven !== undefined
        ? `${safe(unproven)} acknowledged it, and it is not proven that this is another person: somebody who has signed in must acknowledge it (approvals.people_only)`
        : `acknowledge it with \`svc release acknowledge ${release_id} --env ${environment} --reason WHY\`${byWhom(difference)}`
  return { ...row, passed: false, text: `${words}: ${how} (capabilities)${ruleText(rules, 'capabilities')}` }
}

/** Who alone may acknowledge it, where not everybody may. */
function byWhom({ acknowledged_only_by: only = [] }: PowerDifference): string {
  const who = [
    ...(only.includes('another') ? ['by somebody else than who promotes it (approval_by_another)'] : []),
    ...(only.includes('people') ? ['by somebody who has signed in (approvals.people_only)'] : []),
  ]
  return who.map(words => `, ${words}`).join('')
}

/** Changes that a sentence has room for. */
const MOST_SHOWN = 5

/** Capabilities of a release that another lacks, in one sentence. */
function wideningText({ widened, changes, unreadable = [] }: PowerDifference): string {
  const texts = [...unreadable, ...changes.filter(({ widens }) => widens).map(({ words }) => words)]
  const shown = texts.slice(0, MOST_SHOWN)
  const more = widened - shown.length
  return `${WIDER}${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function forbiddenRow({ forbidden, open }: PowerFacts, { rules, strict }: Question): JudgedKey {
  const row = { ...FORBIDDEN, value: forbidden.length }
  const behind = ` (capabilities.forbid)${ruleText(rules, 'capabilities')}`
  if (forbidden.length > 0) {
    return {
      ...row,
      passed: false,
      text: `has capabilities that the policy forbids: ${firstFew(forbidden)}${behind}`,
    }
  }
  if (open === undefined) return { ...row, passed: true, text: null }
  return {
    ...row,
    passed: !strict,
    text: `may have capabilities that the policy forbids: ${open}${behind}`,
  }
}

function undeclaredRow(
  { declared, kept_by, calls, names }: UndeclaredFacts,
  most: number,
  { rules, strict }: Question,
): JudgedKey {
  const row = {
    policy_key: 'max_undeclared_tool_calls',
    metric: 'undeclared_tool_calls',
    value: calls,
    limit: most,
  }
  const rule = ruleText(rules, 'max_undeclared_tool_calls')
  if (!declared) {
    const text =
      'max_undeclared_tool_calls is limited but not measured: the candidate does not say which tools it has'
    return { ...row, value: null, passed: !strict, text: text + rule }
  }
  if (calls <= most && kept_by !== undefined) {
    const text = `max_undeclared_tool_calls is limited but not measured: ${kept_by} keeps runs as sums, which say nothing of tools`
    return { ...row, value: null, passed: false, text: text + rule }
  }
  if (calls <= most) return { ...row, passed: true, text: null }
  const which = names.map(({ name, calls: n }) => `\`${safe(name)}\` ${count(n)}`).join(', ')
  return {
    ...row,
    passed: false,
    text: `candidate undeclared_tool_calls ${count(calls)} exceeds max ${count(most)}: ${which}${rule}`,
  }
}

/** What a policy forbids and a power has, in words. */
export function forbiddenIn(power: Power, forbid: readonly string[]): string[] {
  return forbid.flatMap(entry => {
    const found = haversOf(entry, power)
    return found.length === 0 ? [] : [`${entry} (${firstFew([...new Set(found)].map(safe))})`]
  })
}

/** Which things of a power an entry of `forbid` is about. */
function haversOf(entry: string, { tools, mcp_servers, agents, models }: Power): string[] {
  const [, kind, pattern = ''] = /^([a-z_]+):(.+)$/s.exec(entry) ?? []
  const all = tools ?? []
  const named = (names: readonly string[]): string[] => names.filter(name => matches(pattern, name))
  switch (kind) {
    case undefined:
      return all.filter(({ effects }) => effects?.includes(entry as Effect) === true).map(nameOf)
    case 'tool':
      return all.filter(tool => matches(pattern, tool.name) || matches(pattern, nameOf(tool))).map(nameOf)
    case 'scope':
      return all.filter(({ scopes }) => scopes?.some(scope => matches(pattern, scope)) === true).map(nameOf)
    case 'mcp_server':
      return named(mcp_servers.map(({ name }) => name))
    case 'agent':
      return named(agents.map(({ agent_id }) => agent_id))
    case 'provider':
      return named(models.map(({ provider }) => provider))
    default:
      return named(models.map(({ model }) => model))
  }
}

/** Why a power may have what is forbidden though it doesn't say so; undefined where it says enough. */
export function openToForbidden({ tools }: Power, forbid: readonly string[]): string | undefined {
  const hasEffect = forbid.some(entry => (EFFECTS as readonly string[]).includes(entry))
  const hasScope = forbid.some(entry => entry.startsWith('scope:'))
  const ofTools = hasEffect || hasScope || forbid.some(entry => entry.startsWith('tool:'))
  if (tools === null) return ofTools ? 'the release does not say which tools it has' : undefined
  const open = tools.filter(
    ({ effects, scopes }) => (hasEffect && effects === null) || (hasScope && scopes === null),
  )
  if (open.length === 0) return undefined
  return `effects or scopes are not declared of ${firstFew(open.map(tool => safe(nameOf(tool))))}`
}
