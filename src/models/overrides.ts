import { common, isPattern, isWithin } from '../base/text.ts'
import type { Check, Fault } from './checks.ts'

/** Where an override of a policy holds, as patterns; what is left out is everywhere. */
export interface OverrideScope {
  readonly agent_id?: string
  readonly environment?: string
}

type Override = OverrideScope & Readonly<Record<string, unknown>>

/** An exact name, or the beginning of names and a `*`. */
export const namePattern: Check<string> = text =>
  isPattern(text)
    ? undefined
    : { expected: 'an exact name, or one with a single * at its end', actual: JSON.stringify(text) }

/**
 * For every place and key at most one override is the most specific: no two have the same scope, and where two overlap,
 * neither within the other, and set the same key, a third one says what holds in the overlap.
 */
export const overridesFit: Check<{ readonly overrides?: readonly OverrideScope[] }> = ({ overrides = [] }) =>
  faultOfOne(overrides as readonly Override[]) ?? faultOfTwo(overrides as readonly Override[])

function faultOfOne(overrides: readonly Override[]): Fault | undefined {
  const seen = new Map<string, number>()
  for (const [index, override] of overrides.entries()) {
    const at = (expected: string, actual: string, field?: string): Fault => ({
      path: ['overrides', index, ...(field === undefined ? [] : [field])],
      expected,
      actual,
    })
    const scope = scopeOf(override)
    if (scope.agent_id === '*' && scope.environment === '*') {
      return at('limited to an agent_id or an environment', 'for everything, as the policy itself is')
    }
    if (keysOf(override).length === 0) return at('given a key of the policy to override', 'a scope alone')
    const key = scopeKey(scope)
    const same = seen.get(key)
    if (same !== undefined) {
      return at(
        `merged with overrides[${same}], which has the same scope`,
        scopeText(override),
        override.environment === undefined ? 'agent_id' : 'environment',
      )
    }
    seen.set(key, index)
  }
  return undefined
}

function faultOfTwo(overrides: readonly Override[]): Fault | undefined {
  const byScope = new Map(overrides.map(override => [scopeKey(scopeOf(override)), override]))
  for (const [later, b] of overrides.entries()) {
    for (const [earlier, a] of overrides.slice(0, later).entries()) {
      const both = overlapOf(scopeOf(a), scopeOf(b))
      if (both === undefined) continue
      const settled = byScope.get(scopeKey(both))
      const open = keysOf(b).find(key => a[key] !== undefined && settled?.[key] === undefined)
      if (open === undefined) continue
      return {
        path: ['overrides', later, open],
        expected: `left to overrides[${earlier}] (${scopeText(a)}) or this one (${scopeText(b)}), of which neither is more specific, or be set by a further override of ${scopeText(both)}, which both match`,
        actual: 'set by both',
      }
    }
  }
  return undefined
}

/** Where both hold, if they overlap and neither is within the other. */
function overlapOf(
  a: Required<OverrideScope>,
  b: Required<OverrideScope>,
): Required<OverrideScope> | undefined {
  const agent_id = common(a.agent_id, b.agent_id)
  const environment = common(a.environment, b.environment)
  if (agent_id === undefined || environment === undefined) return undefined
  return isNarrower(a, b) || isNarrower(b, a) ? undefined : { agent_id, environment }
}

function isNarrower(inner: Required<OverrideScope>, outer: Required<OverrideScope>): boolean {
  return isWithin(inner.agent_id, outer.agent_id) && isWithin(inner.environment, outer.environment)
}

function scopeOf({ agent_id = '*', environment = '*' }: OverrideScope): Required<OverrideScope> {
  return { agent_id, environment }
}

/** Neither part holds a NUL. */
function scopeKey({ agent_id, environment }: Required<OverrideScope>): string {
  return `${agent_id}\0${environment}`
}

function keysOf(override: Override): string[] {
  return Object.keys(override).filter(key => key !== 'agent_id' && key !== 'environment')
}

function scopeText({ agent_id, environment }: OverrideScope): string {
  return [
    ...(agent_id === undefined ? [] : [`agent_id ${agent_id}`]),
    ...(environment === undefined ? [] : [`environment ${environment}`]),
  ].join(', ')
}
