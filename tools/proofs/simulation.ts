import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { withoutThreads } from '../simulation/globals.ts'
import { INVARIANTS } from '../simulation/invariants/invariant.ts'
import { replayCommand, shrink } from '../simulation/shrink.ts'
import { type Totals, readyTemplate, runWorlds } from '../simulation/worlds.ts'
import { World } from '../simulation/world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string' },
    world: { type: 'string' },
    faults: { type: 'string' },
    deeds: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

const seed = Number(values.seed ?? randomInt(2 ** 31))
const print = (line: string): boolean => process.stdout.write(`${line}\n`)

withoutThreads()
if (values.world === undefined) await prove(Number(values.steps ?? 1_000_000))
else await replay(Number(values.world), Number(values.steps ?? 2000))

async function prove(steps: number): Promise<void> {
  const template = await readyTemplate()
  const startedAt = performance.now()
  print(`simulation of ${steps} steps, --seed ${seed}`)
  const totals = await runWorlds(template, { seed, steps, onWorld: noteWorld })
  printTotals(totals, performance.now() - startedAt)
  if (totals.failed === undefined) return
  process.exitCode = 1
  const { recipe, failure } = totals.failed
  print(`\nFAILED in world ${recipe.seed} at step ${failure.step}: ${failure.message}`)
  print(`again: ${replayCommand(recipe)}`)
  const small = await shrink(template, recipe, failure.invariant)
  print(`\nshrunk to ${small.recipe.faults.length} faults and ${small.recipe.deeds.length} deeds:`)
  print(replayCommand(small.recipe))
}

function noteWorld({ worlds, steps }: Totals): void {
  if (worlds % 50 === 0) print(`${worlds} worlds, ${steps} steps`)
}

function printTotals(totals: Totals, tookMs: number): void {
  const { worlds, steps, requests, decisions, rollbacksByWatch, deliveries, faults, digest } = totals
  const { events, erased, restored, rollouts } = totals
  print(
    `\n${steps} steps in ${worlds} worlds, ${Math.round(tookMs / 1000)} s (${Math.round((1000 * steps) / tookMs)}/s)`,
  )
  print(
    `${requests} requests, ${decisions} decisions (${rollbacksByWatch} by watches), ${events} run events ` +
      `(${erased} erased, ${restored} restored), ${deliveries} deliveries, ` +
      `${rollouts.completed} rollouts completed and ${rollouts.aborted} aborted`,
  )
  print(`digest ${digest}\n\n| fault | injected |\n| --- | ---: |`)
  for (const [fault, count] of Object.entries(faults)) print(`| ${fault} | ${count} |`)
  print(`\n| invariant | looked at |\n| --- | --- |`)
  for (const [invariant, when] of Object.entries(INVARIANTS)) print(`| ${invariant} | ${when} |`)
}

async function replay(world: number, steps: number): Promise<void> {
  const template = await readyTemplate()
  const [onlyFaults, onlyDeeds] = [numbers(values.faults), numbers(values.deeds)]
  const ran = await new World({
    seed: world,
    steps,
    template,
    onlyFaults,
    onlyDeeds,
    onStep: (step, what) => void (values.verbose && print(`${step} ${what}`)),
  }).run()
  for (const { opportunity, fault } of ran.faults) print(`fault ${opportunity}: ${fault}`)
  print(`digest ${ran.digest}, ${ran.steps} steps`)
  print(
    ran.failure === undefined
      ? 'nothing failed'
      : `FAILED at step ${ran.failure.step}: ${ran.failure.message}`,
  )
  process.exitCode = ran.failure === undefined ? 0 : 1
}

function numbers(list: string | undefined): number[] | undefined {
  if (list === undefined) return undefined
  return list === 'none' ? [] : list.split(',').map(Number)
}
