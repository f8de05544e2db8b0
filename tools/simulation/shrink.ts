import type { Template } from './template.ts'
import { type Ran, World } from './world.ts'

/** What is enough to make a world fail. */
export interface Recipe {
  readonly seed: number
  readonly steps: number
  readonly faults: readonly number[]
  readonly deeds: readonly number[]
}

interface Try {
  readonly recipe: Recipe
  readonly ran: Ran
}

/** Most worlds that are run to find a smaller one. */
const MOST_TRIES = 300

/** Leaves out steps, faults and deeds of a world that fails as long as the same invariant does not hold in it. */
export async function shrink(template: Template, failed: Recipe, invariant: string): Promise<Try> {
  let best: Try = { recipe: failed, ran: await runRecipe(template, failed) }
  let tries = 0

  async function stillFails(recipe: Recipe): Promise<boolean> {
    tries += 1
    const ran = await runRecipe(template, recipe)
    if (ran.failure?.invariant !== invariant) return false
    best = { recipe: { ...recipe, steps: Math.min(recipe.steps, ran.failure.step) }, ran }
    return true
  }

  /** Leaves out halves, then quarters, then eighths, while any of them can be left out. */
  async function leaveOut(what: 'faults' | 'deeds'): Promise<void> {
    for (let parts = 1; parts <= 2 * best.recipe[what].length && tries < MOST_TRIES; parts *= 2) {
      const size = Math.ceil(best.recipe[what].length / parts)
      for (let start = 0; start < best.recipe[what].length && tries < MOST_TRIES;) {
        const items = best.recipe[what]
        const fewer = [...items.slice(0, start), ...items.slice(start + size)]
        if (!(await stillFails({ ...best.recipe, [what]: fewer }))) start += size
      }
    }
  }

  await stillFails({ ...failed, steps: Math.min(failed.steps, best.ran.failure?.step ?? failed.steps) })
  for (let before = 0; before !== sizeOf(best.recipe) && tries < MOST_TRIES;) {
    before = sizeOf(best.recipe)
    await leaveOut('faults')
    await leaveOut('deeds')
  }
  return best
}

function sizeOf({ faults, deeds, steps }: Recipe): number {
  return faults.length + deeds.length + steps
}

export function runRecipe(template: Template, { seed, steps, faults, deeds }: Recipe): Promise<Ran> {
  return new World({ seed, steps, template, onlyFaults: faults, onlyDeeds: deeds }).run()
}

/** The same world, with all that it took. */
export function recipeOf(seed: number, steps: number, { faults, deeds }: Ran): Recipe {
  return {
    seed,
    steps,
    faults: faults.map(({ opportunity }) => opportunity),
    deeds: Array.from({ length: deeds }, (_, index) => index + 1),
  }
}

/** How a world is run again. */
export function replayCommand({ seed, steps, faults, deeds }: Recipe): string {
  return `npm run prove -- simulation --world ${seed} --steps ${steps} --faults ${listed(faults)} --deeds ${listed(deeds)}`
}

function listed(numbers: readonly number[]): string {
  return numbers.length === 0 ? 'none' : numbers.join(',')
}
