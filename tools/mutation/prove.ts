import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { AREAS, type Area } from './areas.ts'
import { reported } from './survivors.ts'

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    /** Only files whose path holds this. */
    file: { type: 'string', default: '' },
    workers: { type: 'string', default: '1' },
  },
})

process.chdir(ROOT_PATH)
const names = values.area === undefined ? Object.keys(AREAS) : [values.area]
for (const name of names) {
  const area = AREAS[name]
  if (area === undefined) throw new Error(`--area is one of ${Object.keys(AREAS).join(', ')}`)
  await prove(name, area)
}

/** Fails where a survivor has no reason, or a reason no survivor. */
async function prove(name: string, { sources, tests = '' }: Area): Promise<void> {
  const startedAt = performance.now()
  const mutate = globSync('src/**/*.ts', { cwd: ROOT_PATH }).filter(
    file => sources.some(source => file.startsWith(source)) && file.includes(values.file),
  )
  // Tests run in short, also where this is a proof.
  delete process.env.PROVE
  process.env.MUTATION_TESTS = tests
  const mutants = await new Stryker({
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'tools/mutation/vitest.config.ts', pool: 'forks' },
    plugins: ['@stryker-mutator/vitest-runner', './tools/mutation/words.ts'],
    ignorers: ['words'],
    reporters: ['progress-append-only'],
    ignorePatterns: ['dist', '.stryker-tmp'],
    disableTypeChecks: false,
    // It would read tsconfig.json by the API of TypeScript 5, which 7 has not.
    tsconfigFile: 'none',
    concurrency: Number(values.workers),
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 60,
    allowEmpty: true,
    tempDirName: '.stryker-tmp',
  }).runMutationTest()
  const texts = new Map(mutate.map(file => [file, readFileSync(join(ROOT_PATH, file), 'utf8')]))
  const { lines, isProven } = reported(mutants, texts)
  for (const line of lines) process.stdout.write(`${name}: ${line}\n`)
  process.stdout.write(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s\n\n`)
  if (!isProven) process.exitCode = 1
}
