import { createHash } from 'node:crypto'
import { routes } from '../../handlers/index.ts'
import { FEATURES } from '../../src/entry/features.ts'
import { SHAPES } from '../../src/models/all/check.ts'
import { chanceOf } from './chance.ts'
import { ALL_FAULTS, type Fault } from './faults.ts'
import { type Recipe, recipeOf } from './shrink.ts'
import { type Template, makeTemplate } from './template.ts'
import { type Ran, World } from './world.ts'

export interface Totals {
  readonly worlds: number
  readonly steps: number
  readonly requests: number
  readonly decisions: number
  readonly rollbacksByWatch: number
  readonly rollouts: Ran['rollouts']
  readonly events: number
  readonly erased: number
  readonly restored: number
  readonly deliveries: number
  readonly faults: Readonly<Record<Fault, number>>
  /** SHA-256 over the digests of the worlds. */
  readonly digest: string
  /** The first world that failed, and all that it took. */
  readonly failed: { readonly recipe: Recipe; readonly failure: NonNullable<Ran['failure']> } | undefined
}

/** Steps of most worlds until they heal, and of every twentieth: a ledger with more in it. */
const WORLD_STEPS = 2000
const LONG_WORLD_STEPS = 10_000

type Load = () => Promise<unknown>

/** A template, after all that is loaded when it is first needed: loading takes turns of its own. */
export async function readyTemplate(): Promise<Template> {
  const loads = [routes, SHAPES, FEATURES].flatMap<Load | readonly Load[]>(Object.values).flat()
  await Promise.all(loads.map(load => load()))
  return makeTemplate()
}

/** Runs worlds that follow from a seed until they took so many steps, or one fails. */
export async function runWorlds(
  template: Template,
  { seed, steps, onWorld }: { seed: number; steps: number; onWorld?: (totals: Totals) => void },
): Promise<Totals> {
  const digest = createHash('sha256')
  let totals: Totals = { ...NONE, digest: '' }
  while (totals.steps < steps && totals.failed === undefined) {
    const world = chanceOf(seed, 'world', totals.worlds).below(2 ** 31)
    const length = totals.worlds % 20 === 19 ? LONG_WORLD_STEPS : WORLD_STEPS
    const limit = Math.min(length, Math.max(200, steps - totals.steps))
    const ran = await new World({ seed: world, steps: limit, template }).run()
    digest.update(ran.digest)
    totals = added(totals, ran, world, limit)
    onWorld?.(totals)
  }
  return { ...totals, digest: digest.digest('hex') }
}

const NONE = {
  worlds: 0,
  steps: 0,
  requests: 0,
  decisions: 0,
  rollbacksByWatch: 0,
  rollouts: { completed: 0, aborted: 0 },
  events: 0,
  erased: 0,
  restored: 0,
  deliveries: 0,
  faults: Object.fromEntries(ALL_FAULTS.map(fault => [fault, 0])) as Record<Fault, number>,
  failed: undefined,
}

function added(totals: Totals, ran: Ran, world: number, limit: number): Totals {
  const faults = { ...totals.faults }
  for (const { fault } of ran.faults) faults[fault] += 1
  return {
    worlds: totals.worlds + 1,
    steps: totals.steps + ran.steps,
    requests: totals.requests + ran.requests,
    decisions: totals.decisions + ran.decisions,
    rollbacksByWatch: totals.rollbacksByWatch + ran.rollbacksByWatch,
    rollouts: {
      completed: totals.rollouts.completed + ran.rollouts.completed,
      aborted: totals.rollouts.aborted + ran.rollouts.aborted,
    },
    events: totals.events + ran.events,
    erased: totals.erased + ran.erased,
    restored: totals.restored + ran.restored,
    deliveries: totals.deliveries + ran.deliveries,
    faults,
    digest: '',
    failed: ran.failure && { recipe: recipeOf(world, limit, ran), failure: ran.failure },
  }
}
