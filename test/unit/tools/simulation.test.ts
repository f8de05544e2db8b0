import { afterAll, beforeAll, expect, test } from 'vitest'
import { raw } from '../../../src/sql/port.ts'
import { SimulatedDatabase } from '../../../tools/simulation/database.ts'
import { withoutThreads } from '../../../tools/simulation/globals.ts'
import { recipeOf, replayCommand, runRecipe, shrink } from '../../../tools/simulation/shrink.ts'
import type { Template } from '../../../tools/simulation/template.ts'
import { World } from '../../../tools/simulation/world.ts'
import { readyTemplate, runWorlds } from '../../../tools/simulation/worlds.ts'

const STEPS = 6000
/** Worlds in which most kinds of faults happen. */
const SEED = Number(process.env.SEED ?? 3)

let template: Template
let withThreads: () => void
beforeAll(async () => {
  withThreads = withoutThreads()
  template = await readyTemplate()
})
afterAll(() => withThreads())

test(`${STEPS} steps of servers, callers and faults, SEED=${SEED}: every invariant holds`, async () => {
  const { failed, steps, faults, decisions } = await runWorlds(template, { seed: SEED, steps: STEPS })
  expect(failed && `${failed.failure.message}\n${replayCommand(failed.recipe)}`).toBeUndefined()
  expect(steps).toBeGreaterThanOrEqual(STEPS)
  expect(decisions).toBeGreaterThan(20)
  expect(Object.values(faults).filter(count => count > 0).length).toBeGreaterThan(12)
})

test('the same seed is the same world, step by step, and another is another', async () => {
  const [one, again, other] = await Promise.all(
    [11, 11, 12].map(seed => new World({ seed, steps: 700, template }).run()),
  )
  expect(again).toEqual(one)
  expect(other!.digest).not.toBe(one!.digest)
})

test('a world that fails is shrunk to what it takes, which fails again', async () => {
  const broken = breaking(template)
  const ran = await new World({ seed: 20, steps: 2000, template: broken }).run()
  expect(ran.failure?.invariant).toBe('the pointer is the last passed or forced action')
  const whole = recipeOf(20, 2000, ran)
  const { recipe } = await shrink(broken, whole, ran.failure!.invariant)
  expect(recipe.faults).toEqual([])
  expect(recipe.deeds.length).toBeLessThanOrEqual(2)
  const again = await runRecipe(broken, recipe)
  expect(again.failure?.invariant).toBe(ran.failure!.invariant)
  expect(replayCommand(recipe)).toBe(
    `npm run prove -- simulation --world 20 --steps ${recipe.steps} --faults none --deeds ${recipe.deeds.join(',')}`,
  )
})

/** The same ledger, in which a decision moves no pointer. */
function breaking({ image, known }: Template): Template {
  const database = new SimulatedDatabase({ image, now: () => 0, onCommit: () => {} })
  database.write([
    raw(`CREATE TRIGGER lost AFTER INSERT ON promoted_pointers
      BEGIN UPDATE promoted_pointers SET action_id = 'lost'; END`),
  ])
  const broken = { image: database.serialize(), known }
  database.close()
  return broken
}
