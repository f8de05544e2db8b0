import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { columns } from '../src/cli/text.ts'
import { d1Scenario } from './d1.ts'
import { fileScenario } from './file.ts'
import { growthScenario } from './growth.ts'
import { type Figure, machine } from './harness.ts'
import { httpScenario } from './http.ts'
import { ingestScenario } from './ingest.ts'
import { readsScenario } from './reads.ts'
import { sdkScenario } from './sdk.ts'
import { startupScenario } from './startup.ts'
import { webhooksScenario } from './webhooks.ts'
import { uiScenario } from './ui.ts'

const SCENARIOS = [
  startupScenario,
  httpScenario,
  readsScenario,
  growthScenario,
  ingestScenario,
  fileScenario,
  d1Scenario,
  webhooksScenario,
  sdkScenario,
  uiScenario,
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, size: { type: 'string', default: '1000000' } },
})
const chosen = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
if (chosen.length === 0)
  throw new Error(`no such scenario; there are ${SCENARIOS.map(({ name }) => name).join(', ')}`)

process.stdout.write(`${machine()}\n`)
const figures: Figure[] = []
for (const scenario of chosen) {
  process.stdout.write(`\n${scenario.name}: ${scenario.about}\n`)
  await scenario.run({ quick: values.quick, size: Number(values.size) }, figure => {
    figures.push(figure)
    process.stdout.write(columns([[`  ${figure.what.padEnd(44)}`, figureText(figure), verdict(figure)]], [1]))
  })
}
if (!values.quick) {
  const file = new URL('results.json', import.meta.url)
  const before = JSON.parse(await readFile(file, 'utf8')) as { figures: Figure[] }
  // What this run did not measure stays as it was.
  const others = SCENARIOS.filter(scenario => !chosen.includes(scenario))
  const kept = before.figures.filter(figure => others.some(({ name }) => name === figure.scenario))
  const results = { machine: machine(), at: new Date().toISOString(), figures: [...kept, ...figures] }
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
}

function figureText({ value, unit }: Figure): string {
  return `${value.toFixed(['events/s', 'req/s', 'bytes'].includes(unit) ? 0 : 2).padStart(12)} ${unit}`
}

function verdict({ value, target }: Figure): string {
  if (target === undefined || values.quick) return ''
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = target
  const wanted = target.atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`
  return `${value <= atMost && value >= atLeast ? 'ok  ' : 'MISS'} (${wanted})`
}
