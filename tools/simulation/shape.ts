import { isoTime } from '../../src/base/time.ts'
import { workspaceConfig } from '../../src/runtime/documents.ts'
import type { WorkspaceConfig } from '../../src/models/documents/workspace.ts'
import { type Chance, chanceOf } from './chance.ts'
import { DEEDS, type Known } from './deeds.ts'

/** Noon of the day on which every world begins. */
export const BEGINNING = Date.UTC(2026, 0, 31, 12)

/** What a world is like; worlds differ, so that what one leaves no room for another does. */
export interface Shape {
  readonly workspace: WorkspaceConfig
  readonly hasFollower: boolean
  /** Share of the database's answers that are late: others go on before them. */
  readonly lateAnswers: number
  /** How likely something more is begun while something waits. */
  readonly hurry: number
  /** Whether the servers have no clock but the database's: one machine, one file. */
  readonly sharesClock: boolean
  /** By how much each server's clock is ahead of the database's, ms. */
  readonly skews: number[]
  readonly callers: number
  /** Deeds by how often they are done. */
  readonly weights: readonly (readonly [name: string, weight: number])[]
  readonly known: Known
}

/** `known` is what the ledger holds that the world begins with. */
export function shapeOf(seed: number, known: Known): Shape {
  const chance = chanceOf(seed, 'shape')
  // Somebody who decides ends a rollout: in some worlds nobody does, so that some complete.
  const isQuiet = chanceOf(seed, 'quiet').is(0.15)
  return {
    workspace: workspaceConfig({
      ...WORKSPACE,
      ...timed(chance),
      approvals_required: chance.pick([1, 1, 2]),
    }),
    sharesClock: chance.is(0.3),
    hasFollower: chance.is(0.5),
    lateAnswers: chance.pick([0, 0.1, 0.4]),
    hurry: chance.pick([0.02, 0.15]),
    skews: Array.from({ length: 2 + chance.below(3) }, () =>
      chance.is(0.25) ? chance.pick(DAYS_OFF) * DAY_MS : chance.below(4000) - 2000,
    ),
    callers: 3 + chance.below(8),
    weights: Object.entries(DEEDS).map(([name, { weight }]) => [
      name,
      (isQuiet && !QUIET.has(name) ? 0 : weight) * chance.pick(isQuiet ? [10] : [0, 1, 10, 10, 30]),
    ]),
    known: placesOf(known, chance.is(0.5)),
  }
}

const QUIET: ReadonlySet<string> = new Set(['rollout', 'crowd', 'read'])

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
const DAYS_OFF = [-400, -3, -1, 1, 5, 400]

/** Rules by time in half of the worlds: what is frozen, and what has to have been live before. */
function timed(chance: Chance): Pick<WorkspaceConfig, 'freeze' | 'promotes_from'> {
  const from = BEGINNING + chance.pick([-60, 0, 5, 30, 120]) * MINUTE_MS
  const to = from + chance.pick([10, 60, 600]) * MINUTE_MS
  const environment = chance.pick(['prod', '*'])
  const live_for = chance.pick(['5m', '1h', '24h'])
  return {
    ...(chance.is(0.5)
      ? { freeze: [{ environment, from: isoTime(from), to: isoTime(to), reason: 'frozen' }] }
      : {}),
    ...(chance.is(0.5) ? { promotes_from: { prod: { environment: 'local', live_for } } } : {}),
  }
}

const WORKSPACE = {
  diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 3 },
  allow_forced_rollback: true,
  approval_expires: '6h',
} as const

/** Half of the worlds have one place only, at which nearly everything happens. */
function placesOf(template: Known, several: boolean): Known {
  const known = structuredClone(template)
  if (several) return known
  const releases = known.releases.filter(({ agent }) => agent === known.releases[0]!.agent)
  return { ...known, releases, environments: known.environments.slice(0, 1) }
}

/** A name, the likelier the greater its weight. */
export function pickWeighted(chance: Chance, items: Shape['weights']): string {
  let left = chance.below(items.reduce((sum, [, weight]) => sum + weight, 0))
  for (const [name, weight] of items) {
    if (left < weight) return name
    left -= weight
  }
  throw new Error('no deed has a weight')
}
