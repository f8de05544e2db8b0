import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { instrumented } from './instrument.ts'
import { readPlan } from './plan.ts'

const { root, tests, mutants } = readPlan()

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(text, id) {
        const file = relative(root, id.split('?')[0]!)
        return mutants[file] === undefined ? null : instrumented(file, text, mutants[file])
      },
    },
  ],
  test: {
    include: [tests],
    globalSetup: ['test/support/workshop.ts'],
    runner: 'tools/mutation/runner.ts',
    setupFiles: ['tools/mutation/setup.ts', 'test/support/setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    maxConcurrency: 1,
    bail: 1,
    watch: false,
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    execArgv: ['--expose-gc'],
    // It would keep the mutants of the run before.
    fsModuleCache: false,
    dangerouslyIgnoreUnhandledErrors: true,
  },
})
