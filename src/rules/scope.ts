import { firstFew, isWithin, matches, similarNames } from '../base/text.ts'
import type { Override, Policy, PolicyScope } from '../models/documents/policy.ts'
import type { WorkspaceConfig } from '../models/documents/workspace.ts'

/** What a policy is evaluated for. */
export interface Place {
  /** Left out, only overrides for all agents match. */
  readonly agent_id?: string | undefined
  readonly environment: string
}

/** An override that set keys of a resolved policy. */
export type PolicyRule = PolicyScope['rules'][number]

/** A policy as it holds in one place. */
export interface StoredPolicy {
  /** Without overrides. */
  readonly policy: Policy
  /** Undefined where the policy has none. */
  readonly scope?: PolicyScope | undefined
}

/**
 * What a policy says in a place: each key is that of the most specific override that sets it, else the policy's own. The
 * model takes no policy of which two overrides are equally specific, so the order of the list doesn't count.
 */
export function resolveOverrides(
  { overrides = [], ...policy }: Policy,
  place: Place,
): { readonly policy: Policy; readonly rules: PolicyRule[] } {
  const chosen = new Map<string, number>()
  for (const [index, override] of overrides.entries()) {
    if (!holdsIn(override, place)) continue
    for (const key of keysOf(override)) {
      const before = chosen.get(key)
      if (before === undefined || isNarrower(override, overrides[before]!)) chosen.set(key, index)
    }
  }
  const settings = Array.from(chosen, ([key, index]) => [key, overrides[index]![key as keyof Override]])
  return {
    policy: { ...policy, ...Object.fromEntries(settings) },
    rules: overrides.flatMap((override, index) => {
      const keys = keysOf(override).filter(key => chosen.get(key) === index)
      return keys.length === 0 ? [] : [{ override: index, ...scopeOf(override), keys }]
    }),
  }
}

/** What explains a reason: the override that set a key, or nothing. */
export function ruleText(rules: readonly PolicyRule[], ...keys: readonly string[]): string {
  const rule = rules.find(one => keys.some(key => one.keys.includes(key)))
  if (rule === undefined) return ''
  const { override, agent_id, environment } = rule
  const scope = [
    ...(agent_id === undefined ? [] : [`agent_id ${agent_id}`]),
    ...(environment === undefined ? [] : [`environment ${environment}`]),
  ]
  return ` (overrides[${override}]: ${scope.join(', ')})`
}

function holdsIn({ agent_id = '*', environment = '*' }: Override, place: Place): boolean {
  const isAgent = place.agent_id === undefined ? agent_id === '*' : matches(agent_id, place.agent_id)
  return isAgent && matches(environment, place.environment)
}

function isNarrower(inner: Override, outer: Override): boolean {
  return (
    isWithin(inner.agent_id ?? '*', outer.agent_id ?? '*') &&
    isWithin(inner.environment ?? '*', outer.environment ?? '*')
  )
}

function scopeOf({ agent_id, environment }: Override): Pick<PolicyRule, 'agent_id' | 'environment'> {
  return {
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(environment === undefined ? {} : { environment }),
  }
}

function keysOf(override: Override): string[] {
  return Object.keys(override).filter(key => key !== 'agent_id' && key !== 'environment')
}

/** Why an environment is refused, where environments are declared and it isn't one of them. */
export function undeclaredText(
  { environments, default_environment }: Pick<WorkspaceConfig, 'environments' | 'default_environment'>,
  environment: string,
): string | undefined {
  if (environments === undefined || environments.includes(environment)) return undefined
  const [meant] = similarNames(environment, environments, 1)
  const which = environment === default_environment ? ', the default_environment' : ''
  return (
    `Unknown environment: ${environment}${which}. service.yaml declares ${firstFew(environments)}` +
    (meant === undefined ? '.' : `. Did you mean ${meant}?`)
  )
}

/** The policy in force when none was ever set (specification, Policy). */
export const DEFAULT_POLICY: Policy = {
  policy_id: 'default',
  max_cost_per_run_usd: null,
  max_latency_ms: null,
  max_error_rate: null,
  min_candidate_runs: null,
  min_baseline_runs: null,
  min_low_runs: null,
  require_high_diff_confidence: true,
}
