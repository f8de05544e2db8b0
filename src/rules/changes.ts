import { canonicalJson } from '../base/text.ts'
import type { PricingEntry } from '../models/documents/pricing.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { SinceRequest } from '../models/answers/promotion_request.ts'
import type { Comparison } from '../models/answers/diff.ts'

const RATES = [
  ['input', 'input_usd_per_1k_tokens'],
  ['output', 'output_usd_per_1k_tokens'],
  ['cached', 'cached_input_usd_per_1k_tokens'],
  ['written', 'cache_write_input_usd_per_1k_tokens'],
] as const

/**
 * What a new table changes, a line per model, by name: `+` new, `-` gone, `~` other rates (USD per 1,000 tokens), other
 * aliases or another day on which the model is switched off.
 */
export function changesOf(before: readonly PricingEntry[], after: readonly PricingEntry[]): string[] {
  const [old, now] = [byModel(before), byModel(after)]
  const models = [...new Set([...old.keys(), ...now.keys()])].sort()
  return models.flatMap(model => {
    const [from, to] = [old.get(model), now.get(model)]
    if (to === undefined) return [`- ${model}`]
    const rates = RATES.filter(
      ([, name]) => from === undefined || (from[name] ?? null) !== (to[name] ?? null),
    )
    const texts = rates
      .filter(([, name]) => from !== undefined || to[name] != null)
      .map(
        ([label, name]) =>
          `${label} ${from === undefined ? '' : `${shown(from[name])} → `}${shown(to[name])}`,
      )
    const [named, names] = [from, to].map(entry => entry?.aliases?.join(', ') ?? '')
    if (names !== named)
      texts.push(`aliases ${from === undefined ? '' : `${named || 'none'} → `}${names || 'none'}`)
    const [ended, ends] = [from?.retires_on, to.retires_on]
    if (ends !== ended)
      texts.push(
        `ends ${from === undefined ? '' : `${ended ?? 'on no known day'} → `}${ends ?? 'on no known day'}`,
      )
    if (from === undefined) return [`+ ${model}  ${texts.join(', ')}`]
    return texts.length === 0 ? [] : [`~ ${model}  ${texts.join(', ')}`]
  })
}

function byModel(entries: readonly PricingEntry[]): ReadonlyMap<string, PricingEntry> {
  return new Map(entries.map(entry => [entry.model, entry]))
}

function shown(rate: number | null | undefined): string {
  return rate == null ? 'none' : String(rate)
}

/** A field of a policy that another one has otherwise; null where a policy leaves it out. */
interface PolicyChange {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** What differs between two policies, field by field, in the order of the fields. The order of keys is no difference. */
export function policyChanges(from: Policy, to: Policy): PolicyChange[] {
  const [before, after] = [from, to] as Readonly<Record<string, unknown>>[]
  const fields = [...new Set([...Object.keys(before!), ...Object.keys(after!)])]
  return fields
    .map(field => ({ field, from: before![field] ?? null, to: after![field] ?? null }))
    .filter(change => canonicalJson(change.from) !== canonicalJson(change.to))
}

/** Changes of a policy in words, as an entry of the audit log has them. */
export function policyChangeTexts(from: Policy, to: Policy): string[] {
  return logged(
    policyChanges(from, to).map(
      change => `${change.field} ${JSON.stringify(change.from)} → ${JSON.stringify(change.to)}`,
    ),
  )
}

/** The same of the entries of a price table. */
export function priceChangeTexts(before: readonly PricingEntry[], after: readonly PricingEntry[]): string[] {
  return logged(changesOf(before, after))
}

/** An entry stays small: so many changes, of so many characters. */
const [MOST_CHANGES, MOST_CHARACTERS] = [20, 200]

function logged(changes: readonly string[]): string[] {
  const first = changes
    .slice(0, MOST_CHANGES)
    .map(text => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text))
  const left = changes.length - first.length
  return left === 0 ? first : [...first, `and ${left} more`]
}

/** What an evaluation rested on, kept with a request to be compared with that of its confirmation. */
export interface Assessed {
  readonly baseline_release_id: string | null
  readonly policy: Policy
  /** Null for a first promotion. */
  readonly metrics: Comparison | null
  /** What the requester expects to be promoted, null for nothing; left out where nothing was said. */
  readonly expected_baseline_release_id?: string | null
}

/** What a confirmation rests on: it counts as long as this is the same. */
export interface Grounds extends Pick<Assessed, 'baseline_release_id' | 'policy'> {
  /** The checksums of the price tables of both releases, by provider and version; null for a table that is missing. */
  readonly prices: Readonly<Record<string, string | null>>
}

/** Why a confirmation no longer counts; empty where it does. */
export function outdatedBecause(then: Grounds | undefined, now: Grounds): string[] {
  if (then === undefined) return ['it does not say what it rests on']
  const [from, to] = [then.baseline_release_id, now.baseline_release_id]
  const fields = policyChanges(then.policy, now.policy).map(({ field }) => field)
  // Of another baseline the table may be another one too, which is no change of its own.
  const tables = Object.keys(now.prices).filter(
    table => table in then.prices && then.prices[table] !== now.prices[table],
  )
  return [
    ...(from === to ? [] : [`the baseline was ${from ?? 'nothing'} and is ${to ?? 'nothing'}`]),
    ...(fields.length === 0 ? [] : [`the policy has changed (${fields.join(', ')})`]),
    ...tables.map(table => `the price table ${table} has changed`),
  ]
}

/** What is otherwise at a confirmation than at the request. */
export function sinceRequest(before: Assessed, now: Assessed): SinceRequest {
  const [old, current] = [before.metrics, now.metrics] as (Readonly<Record<string, number | null>> | null)[]
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})])]
  return {
    baseline:
      before.baseline_release_id === now.baseline_release_id
        ? null
        : { from: before.baseline_release_id, to: now.baseline_release_id },
    policy: policyChanges(before.policy, now.policy),
    figures: names
      .map(name => ({ name, from: old?.[name] ?? null, to: current?.[name] ?? null }))
      .filter(({ from, to }) => from !== to),
  }
}
