import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { AREAS, type Area } from './areas.ts'
import { EXPLAINED } from './explained/explained.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { sourcesOf, testsOf } from './related.ts'
import { type Outcome, runMutants } from './run.ts'
import { CACHE } from '../proofs/packages.ts'

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    /** Only files whose path holds this. */
    file: { type: 'string', default: '' },
    /** So many mutants, drawn by the seed. */
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Only tests of `test/unit`: what else may kill a mutant of the area is left out. */
    unit: { type: 'boolean', default: false },
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
  const tests = testsOf(values.unit ? { ...area, tests: [] } : area, files)
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

/** Fails where a survivor has no reason, or a reason no survivor. */
function report(name: string, outcomes: readonly Outcome[], all: readonly Mutant[]): void {
  const isExplained = ({ mutant }: Outcome): boolean => EXPLAINED[mutant.key] !== undefined
  const lived = outcomes.filter(({ state }) => state === 'survived' || state === 'not covered')
  const unexplained = lived.filter(outcome => !isExplained(outcome))
  for (const { mutant, state } of unexplained) print(`  ${state}: line ${mutant.line} of ${mutant.key}`)
  const dead = outcomes.filter(outcome => outcome.state === 'killed' && isExplained(outcome))
  for (const { mutant } of dead) print(`  explained, and killed: ${mutant.key}`)
  const [files, known] = [new Set(all.map(({ file }) => file)), new Set(all.map(({ key }) => key))]
  const gone = Object.keys(EXPLAINED).filter(key => files.has(key.split(' ')[0]!) && !known.has(key))
  for (const key of gone) print(`  explained, and gone: ${key}`)
  const count = (state: Outcome['state']): number => outcomes.filter(each => each.state === state).length
  const share = (100 * (outcomes.length - lived.length)) / outcomes.length
  print(
    `${name}: ${count('killed')} killed, ${count('timeout')} by time, ${count('survived')} survived, ` +
      `${count('not covered')} not covered: ${share.toFixed(1)} % killed; ` +
      `${lived.length - unexplained.length} of ${lived.length} explained`,
  )
  if (unexplained.length + dead.length + gone.length > 0) process.exitCode = 1
  writeFileSync(lastOf(name), JSON.stringify(lived.map(({ mutant }) => mutant.key)))
}

/** The survivors of the last run of an area, or of these files of it. */
function lastOf(name: string): string {
  return join(CACHE, 'mutation', `${name}${values.file.replaceAll('/', ' ')}.json`)
}

function contentOf(file: string): string {
  return readFileSync(join(ROOT_PATH, file), 'utf8')
}

function idOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 20)
}
