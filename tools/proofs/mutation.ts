import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { AREAS, type Area } from '../mutation/areas.ts'
import { EXPLAINED } from '../mutation/explained.ts'
import { type Mutant, mutantsOf } from '../mutation/mutants.ts'
import { sourcesOf, testsOf } from '../mutation/related.ts'
import { type Outcome, runMutants } from '../mutation/run.ts'
import { CACHE } from './packages.ts'

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    /** Only files whose path holds this. */
    file: { type: 'string', default: '' },
    /** So many mutants, drawn by the seed. */
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Only those that survived the last run of the area. */
    again: { type: 'boolean', default: false },
    /** Does over what a run before this one has done, were it the same. */
    fresh: { type: 'boolean', default: false },
  },
})

const print = (line: string): boolean => process.stdout.write(`${line}\n`)

const names = values.area === undefined ? Object.keys(AREAS) : [values.area]
for (const name of names) {
  const area = AREAS[name]
  if (area === undefined) throw new Error(`--area is one of ${Object.keys(AREAS).join(', ')}`)
  prove(name, area)
}

function prove(name: string, area: Area): void {
  const startedAt = performance.now()
  const files = sourcesOf(area).filter(file => file.includes(values.file))
  const all = files.flatMap(file => mutantsOf(file, readFileSync(join(ROOT_PATH, file), 'utf8')))
  const mutants = chosen(name, all)
  const tests = testsOf(area, files)
  const folder = join(CACHE, 'mutation', idOf([mutants, values.seed, tests.map(contentOf)]))
  if (values.fresh) rmSync(folder, { recursive: true, force: true })
  print(`${name}: ${mutants.length} of ${all.length} mutants of ${files.length} files, --seed ${values.seed}`)
  const onDone = (file: string, alive: number): boolean => print(`  ${alive} live after ${file}`)
  const outcomes = runMutants({ mutants, tests, seed: Number(values.seed), folder, onDone })
  report(name, outcomes, all)
  print(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
}

function chosen(name: string, all: readonly Mutant[]): readonly Mutant[] {
  if (values.again) {
    const lived = new Set(JSON.parse(readFileSync(lastOf(name), 'utf8')) as string[])
    return all.filter(({ key }) => lived.has(key))
  }
  if (values.sample === undefined) return all
  const byChance = all.map(mutant => ({ mutant, chance: idOf([values.seed, mutant.key]) }))
  const drawn = byChance.toSorted((a, b) => (a.chance < b.chance ? -1 : 1)).slice(0, Number(values.sample))
  const keys = new Set(drawn.map(({ mutant }) => mutant.key))
  return all.filter(({ key }) => keys.has(key))
}

function report(name: string, outcomes: readonly Outcome[], all: readonly Mutant[]): void {
  const lived = outcomes.filter(({ state }) => state === 'survived' || state === 'not covered')
  const count = (state: Outcome['state']): number => outcomes.filter(each => each.state === state).length
  const killed = outcomes.length - lived.length
  for (const { mutant, state } of lived) {
    const reason = EXPLAINED[mutant.key]
    if (reason !== undefined) continue
    print(`  ${state}: line ${mutant.line} of ${mutant.key}`)
    process.exitCode = 1
  }
  const explained = lived.filter(({ mutant }) => EXPLAINED[mutant.key] !== undefined).length
  const dead = outcomes.filter(
    ({ mutant, state }) => state === 'killed' && EXPLAINED[mutant.key] !== undefined,
  )
  for (const { mutant } of dead) print(`  is killed, and explained all the same: ${mutant.key}`)
  print(
    `${name}: ${count('killed')} killed, ${count('timeout')} by time, ${count('survived')} survived, ${count('not covered')} not covered` +
      `: ${((100 * killed) / outcomes.length).toFixed(1)} % killed; ${explained} of ${lived.length} explained`,
  )
  if (dead.length > 0) process.exitCode = 1
  const before: string[] =
    values.again && existsSync(lastOf(name))
      ? (JSON.parse(readFileSync(lastOf(name), 'utf8')) as string[])
      : []
  const asked = new Set(outcomes.map(({ mutant }) => mutant.key))
  const known = new Set(all.map(({ key }) => key))
  const left = [
    ...before.filter(key => !asked.has(key) && known.has(key)),
    ...lived.map(({ mutant }) => mutant.key),
  ]
  writeFileSync(lastOf(name), JSON.stringify(left))
}

/** The survivors of an area's last run. */
function lastOf(name: string): string {
  return join(CACHE, 'mutation', `${name}.json`)
}

function contentOf(file: string): string {
  return readFileSync(join(ROOT_PATH, file), 'utf8')
}

function idOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 20)
}
