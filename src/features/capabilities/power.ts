import { sha256 } from '../../base/bytes.ts'
import { check } from '../../models/all/check.ts'
import type { PowerDifference } from '../../models/answers/capabilities.ts'
import type { Release } from '../../models/documents/release.ts'
import type { Capabilities } from '../../models/documents/capabilities.ts'
import { problemsText } from '../../models/checks.ts'
import { Capabilities as shape } from '../../models/shapes/capabilities.ts'
import { MOST_TOOLS } from '../../models/capability_checks.ts'
import { powerChanges } from './rules_power.ts'
import { type Power, contradictions, powerOf } from '../../rules/power.ts'

/** What an artifact says of its power. */
export interface KnownPower {
  /** Of unreadable capabilities what the rest of the artifact says. */
  readonly power: Power
  /** As JSON, equal where the same is known of both; unreadable capabilities as they are. */
  readonly text: string
  /** Why the capabilities can't be read; then they may be anything. */
  readonly problem?: string
  /** What to mind of it. */
  readonly warnings: readonly string[]
}

/** The power of an artifact. Odd capabilities are no error: artifacts that carry such a key were valid before it meant anything. */
export function readPower(artifact: Release): KnownPower {
  const { capabilities, problem } = readCapabilities(artifact)
  const power = powerOf(artifact, capabilities)
  const known = problem === undefined ? power : { ...power, unreadable: artifact.spec.capabilities ?? null }
  return {
    power,
    text: JSON.stringify(known),
    ...(problem === undefined ? {} : { problem }),
    warnings: [...(problem === undefined ? [] : [problem]), ...contradictions(artifact, capabilities)],
  }
}

function readCapabilities({ spec }: Release): {
  readonly capabilities?: Capabilities
  readonly problem?: string
} {
  const named = spec.tools?.tool_names ?? []
  if (named.length > MOST_TOOLS) {
    return {
      problem: `spec.tools.tool_names has ${named.length} names: with more than ${MOST_TOOLS}, differences are unknown`,
    }
  }
  if (spec.capabilities == null) return {}
  const checked = check<Capabilities>(shape, spec.capabilities)
  if (checked.ok) return { capabilities: checked.value }
  return { problem: `spec.capabilities can't be read: ${problemsText(checked.problems, 'it')}` }
}

/** What an attestation vouches for: the capabilities, as they are given out. */
export async function attestedCapabilities(releaseId: string, artifact: Release) {
  const path = `releases/${encodeURIComponent(releaseId)}/capabilities`
  return { path, sha256: await sha256(readPower(artifact).text) }
}

/** What a registration is warned of. */
export function registrationWarnings(artifact: Release): readonly string[] {
  return readPower(artifact).warnings
}

/** Most changes that are listed one by one. */
const MOST_CHANGES = 100

/** How the power of two artifacts differs; undefined where it doesn't, which takes no hash. */
export async function differenceOf(
  baseline: KnownPower,
  candidate: KnownPower,
): Promise<PowerDifference | undefined> {
  if (baseline.text === candidate.text) return undefined
  const changes = powerChanges(baseline.power, candidate.power)
  const unreadable = [
    ...(baseline.problem === undefined ? [] : [`baseline: ${baseline.problem}`]),
    ...(candidate.problem === undefined ? [] : [`candidate: ${candidate.problem}`]),
  ]
  return {
    baseline_sha256: await sha256(baseline.text),
    candidate_sha256: await sha256(candidate.text),
    // Of what can't be read nobody knows that it does no more.
    widened: changes.filter(({ widens }) => widens).length + (unreadable.length > 0 ? 1 : 0),
    changes: changes.slice(0, MOST_CHANGES),
    more_changes: Math.max(0, changes.length - MOST_CHANGES),
    ...(unreadable.length === 0 ? {} : { unreadable }),
  }
}
