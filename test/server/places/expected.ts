/** A run as it was sent. */
export interface Run {
  /** How long before now it began, ms. */
  readonly age: number
  readonly release_id: string
  readonly model: 'm1' | 'm2'
  readonly input: number
  readonly output: number
  readonly latency: number | null
  readonly success: boolean
}

/** What was registered and decided in a place, oldest first. */
export interface History {
  readonly releases: readonly {
    readonly release_id: string
    readonly version: string
    readonly model: 'm1' | 'm2'
    readonly hasPrice: boolean
  }[]
  readonly moves: readonly {
    readonly action: 'promote' | 'rollback'
    readonly to: string
    readonly from: string | null
  }[]
}

interface Limits {
  readonly max_cost_per_run_usd?: number
  readonly max_latency_ms?: number
  readonly max_error_rate?: number
}

/** All that a place's answer follows from. */
export interface Known extends History {
  readonly live: string | null
  readonly runs: readonly Run[]
  readonly policy: Limits & {
    readonly require_high_diff_confidence: boolean
    readonly overrides?: readonly (Limits & {
      readonly agent_id?: string
      readonly environment?: string
    })[]
  }
  /** What a pending request names. */
  readonly request: { readonly release_id: string; readonly hours: number } | null
  readonly isFrozen: boolean
  readonly needsApproval: boolean
  readonly diff: {
    readonly min_candidate_runs: number
    readonly min_baseline_runs: number
    readonly min_low_runs: number
  }
}

const HOUR_MS = 3_600_000

/** USD per 1,000 tokens, in and out (PRICES). */
const RATES = { m1: [1, 2], m2: [2, 4] } as const

const KEYS = ['max_cost_per_run_usd', 'max_latency_ms', 'max_error_rate'] as const

/**
 * What the place has to answer, from the specification (POST /v1/diff, computation rules and policy evaluation) and from what was
 * done to the ledger, without any of the service's code.
 */
export function expectedOf(known: Known) {
  const candidate = candidateOf(known)
  const { live, isFrozen, request, releases } = known
  const newest = releases.at(-1)!
  const isLiveNewest = candidate === null && newest.release_id === live
  const isUnpriced = candidate?.release_id === newest.release_id && !newest.hasPrice
  const verdict = candidate === null || isUnpriced ? undefined : verdictOf(known, candidate.release_id)
  const first = verdict?.reasons[0]
  const state = isFrozen
    ? 'frozen'
    : request !== null
      ? 'awaiting_approval'
      : (isLiveNewest || candidate !== null) && !newest.hasPrice
        ? 'no_price'
        : (verdict?.state ?? 'quiet')
  const version = releases.find(({ release_id }) => release_id === candidate?.release_id)?.version
  const headlines: Record<string, RegExp> = {
    frozen: /^local is frozen until 2999-01-01: the fair$/,
    awaiting_approval: new RegExp(`^http asks to promote ${version}, which .*: because$`),
    no_price: / has no price table, so its cost can't be compared$/,
    blocked: new RegExp(`^${version} is blocked: .*${first === undefined ? '' : limitIn(first)}`),
    needs_runs: new RegExp(`^${version} is not decided yet: `),
    can_promote: new RegExp(`^${version} can be promoted: `),
    quiet: / is live; the newest release|^nothing is live; the newest release/,
  }
  return {
    candidate,
    isUnpriced,
    state,
    reasons: verdict?.reasons ?? [],
    rows: verdict?.rows ?? [],
    headline: headlines[state]!,
  }
}

/** The override that set a limit, where a reason names one: each text about it has to. */
function limitIn(reason: string): string {
  const [override = ''] = /overrides\[\d\]/.exec(reason) ?? []
  return override.replaceAll(/[[\]]/g, String.raw`\$&`)
}

function candidateOf({ releases, moves, live, request }: Known) {
  if (request !== null) return { release_id: request.release_id, source: 'request' }
  const { release_id } = releases.at(-1)!
  if (release_id === live) return null
  const last = moves.findLast(({ to, from }) => to === release_id || from === release_id)
  if (last?.action === 'rollback' && last.to !== release_id) return null
  return { release_id, source: 'newest' }
}

function verdictOf({ runs: all, live, policy, diff, isFrozen, request }: Known, candidate: string) {
  // A request is judged over its window.
  const runs = all.filter(({ age }) => age < (request?.hours ?? 24) * HOUR_MS)
  const [own, before] = [
    runs.filter(run => run.release_id === candidate),
    runs.filter(run => run.release_id === live),
  ]
  const means = meansOf(own)
  const limits = KEYS.flatMap(key => {
    const { limit = policy[key], rule } = overrideOf(policy.overrides ?? [], key) ?? {}
    return limit === undefined ? [] : [{ key, limit, rule }]
  })
  const frozen = isFrozen ? [FROZEN] : []
  if (live === null) {
    const reasons = isFrozen ? frozen : ['first promotion: no promoted baseline for agent/environment']
    return { state: isFrozen ? 'blocked' : 'can_promote', reasons, rows: [] }
  }
  const broken = limits.flatMap(({ key, limit, rule }) => {
    const value = means[key]
    if (value === null || own.length === 0 || !isAbove(value, limit)) return []
    return [`${TEXTS[key](value, limit)}${rule === undefined ? '' : ` (${rule.join(': ')})`}`]
  })
  const label = labelOf(before.length, own.length, diff)
  const unsure =
    policy.require_high_diff_confidence && label !== undefined
      ? [`diff confidence is ${label}; promotion requires HIGH`]
      : []
  const rows = limits.map(({ key, limit, rule }) => {
    const now = own.length === 0 ? null : means[key]
    return {
      policy_key: key,
      limit,
      limit_from: rule?.[0] ?? 'policy',
      now: now === null ? null : Number(now.toPrecision(9)),
      outcome: now === null ? 'unsure' : isAbove(now, limit) ? 'fail' : 'pass',
    }
  })
  const reasons = [...broken, ...unsure, ...frozen]
  const state =
    broken.length + frozen.length > 0 ? 'blocked' : unsure.length > 0 ? 'needs_runs' : 'can_promote'
  return { state, reasons, rows }
}

export const FROZEN = 'local is frozen from 2000-01-01 to 2999-01-01: the fair (freeze)'

/** What the override of the place says of a key, else that of its environment, and how a reason names it. */
function overrideOf(overrides: NonNullable<Known['policy']['overrides']>, key: (typeof KEYS)[number]) {
  const fits = overrides.flatMap((override, index) =>
    (override.agent_id ?? 'bot') === 'bot' && override.environment === 'local' && override[key] !== undefined
      ? [{ ...override, index }]
      : [],
  )
  const found = fits.find(({ agent_id }) => agent_id !== undefined) ?? fits[0]
  if (found === undefined) return undefined
  const of = found.agent_id === undefined ? 'environment local' : 'agent_id bot, environment local'
  return { limit: found[key]!, rule: [`overrides[${found.index}]`, of] as const }
}

/** Limits compare after rounding to 12 significant digits. */
function isAbove(value: number, limit: number): boolean {
  return Number(value.toPrecision(12)) > Number(limit.toPrecision(12))
}

const TEXTS = {
  max_cost_per_run_usd: (value: number, limit: number) =>
    `candidate cost_per_run_usd ${value.toFixed(6)} exceeds max ${limit.toFixed(6)}`,
  max_latency_ms: (value: number, limit: number) =>
    `candidate latency_ms_avg ${value.toFixed(2)} exceeds max ${limit}`,
  max_error_rate: (value: number, limit: number) =>
    `candidate error_rate ${value.toFixed(4)} exceeds max ${limit.toFixed(4)}`,
} as const

function meansOf(runs: readonly Run[]): Record<(typeof KEYS)[number], number | null> {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const timed = runs.flatMap(({ latency }) => (latency === null ? [] : [latency]))
  return {
    max_cost_per_run_usd:
      runs.length === 0
        ? 0
        : mean(
            runs.map(
              ({ model, input, output }) => (input * RATES[model][0] + output * RATES[model][1]) / 1000,
            ),
          ),
    max_latency_ms: timed.length === 0 ? null : mean(timed),
    max_error_rate: runs.length === 0 ? 0 : mean(runs.map(({ success }) => (success ? 0 : 1))),
  }
}

/** The label with its reason; undefined where it is HIGH. */
function labelOf(
  baseline: number,
  candidate: number,
  { min_candidate_runs, min_baseline_runs, min_low_runs }: Known['diff'],
): string | undefined {
  if (baseline >= min_baseline_runs && candidate >= min_candidate_runs) return undefined
  const isLow = baseline < min_low_runs || candidate < min_low_runs
  const because = [
    ...(candidate < min_candidate_runs ? [`candidate sample < ${min_candidate_runs} runs`] : []),
    ...(baseline < min_baseline_runs ? [`baseline sample < ${min_baseline_runs} runs`] : []),
    ...(isLow ? [`LOW floor is ${min_low_runs} runs`] : []),
  ]
  return `${isLow ? 'LOW' : 'MEDIUM'} (${because.join('; ')})`
}
