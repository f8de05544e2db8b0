import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { aligned } from '../src/cli/terminal/table.ts'
import { aggregatesScenario } from './scenarios/aggregates.ts'
import { d1Scenario } from './scenarios/d1.ts'
import { decisionsScenario } from './scenarios/decisions.ts'
import { fileScenario } from './scenarios/file.ts'
import { gateScenario } from './scenarios/gate.ts'
import { growthScenario } from './scenarios/growth.ts'
import { type Figure, type Scenario, busyCores, machine } from './harness.ts'
import { httpScenario } from './scenarios/http.ts'
import { ingestScenario } from './scenarios/ingest.ts'
import { otlpScenario } from './scenarios/otlp.ts'
import { readsScenario } from './scenarios/reads.ts'
import { rolloutsScenario } from './scenarios/rollouts.ts'
import { scoresScenario } from './scenarios/scores.ts'
import { sdkScenario } from './scenarios/sdk.ts'
import { startupScenario } from './scenarios/startup.ts'
import { webhooksScenario } from './scenarios/webhooks.ts'
import { segmentScenario } from './scenarios/segments.ts'
import { uiScenario } from './scenarios/ui.ts'

const SCENARIOS = [
  startupScenario,
  httpScenario,
  readsScenario,
  gateScenario,
  growthScenario,
  segmentScenario,
  ingestScenario,
  otlpScenario,
  fileScenario,
  d1Scenario,
  rolloutsScenario,
  scoresScenario,
  aggregatesScenario,
  decisionsScenario,
  webhooksScenario,
  sdkScenario,
  uiScenario,
]

const { quick, size, chosen } = readArguments(process.argv.slice(2))

/** A figure as results.json keeps it: when it was measured, and how many cores were busy since the one before it. */
interface Kept extends Figure {
  readonly busy_cores: number
  readonly at: string
}

process.stdout.write(`${machine()}\n`)
const figures: Kept[] = []
const busySince = busyCores()
for (const scenario of chosen) {
  process.stdout.write(`\n${scenario.name}: ${scenario.about}\n`)
  await scenario.run({ quick, size }, figure => {
    const kept = { ...figure, busy_cores: Number(busySince().toFixed(2)), at: new Date().toISOString() }
    figures.push(kept)
    process.stdout.write(
      aligned([[`  ${figure.what.padEnd(62)}`, ...figureTexts(kept)]], [{}, { right: true }]),
    )
  })
}
if (!quick) {
  const file = new URL('results.json', import.meta.url)
  const before = JSON.parse(await readFile(file, 'utf8')) as { figures: Kept[] }
  // What this run did not measure stays as it was.
  const others = SCENARIOS.filter(scenario => !chosen.includes(scenario))
  const kept = before.figures.filter(figure => others.some(({ name }) => name === figure.scenario))
  const results = { machine: machine(), figures: [...kept, ...figures] }
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
}

function readArguments(args: string[]): { quick: boolean; size: number; chosen: readonly Scenario[] } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { quick: { type: 'boolean', default: false }, size: { type: 'string', default: '1000000' } },
    })
    const names = SCENARIOS.map(({ name }) => name)
    const unknown = positionals.find(name => !names.includes(name))
    if (unknown !== undefined)
      throw new Error(`There is no scenario '${unknown}'; there are ${names.join(', ')}.`)
    const events = Number(values.size)
    if (!Number.isSafeInteger(events) || events < 10_000) {
      throw new Error(`--size must be a whole number of events from 10000 on (it is '${values.size}').`)
    }
    return {
      quick: values.quick,
      size: events,
      chosen: SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    }
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`)
    process.exit(1)
  }
}

function figureTexts(figure: Kept): string[] {
  const { value, unit, busy_cores: busy } = figure
  const digits = ['events/s', 'req/s', 'bytes'].includes(unit) ? 0 : 2
  return [
    `${value.toFixed(digits).padStart(12)} ${unit.padEnd(8)}`,
    `${busy.toFixed(1)} cores busy`,
    verdict(figure),
  ]
}

function verdict({ value, target }: Figure): string {
  if (target === undefined || quick) return ''
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = target
  const wanted = target.atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`
  return `${value <= atMost && value >= atLeast ? 'ok  ' : 'MISS'} (${wanted})`
}
