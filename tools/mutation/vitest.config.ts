import { defineConfig } from 'vitest/config'
import { LEFT_OUT } from '../../test/support/left_out.ts'

/** Stryker runs, of these, the files that import what it mutates. `MUTATION_TESTS` adds one that is no unit test. */
export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', ...(process.env.MUTATION_TESTS ?? '').split(' ').filter(Boolean)],
    exclude: [
      'test/unit/tools/**',
      ...Object.values(LEFT_OUT).flatMap(names => names.map(name => `test/${name}.test.ts`)),
    ],
    globalSetup: ['test/support/workshop.ts'],
    setupFiles: ['tools/mutation/setup.ts', 'test/support/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    execArgv: ['--expose-gc'],
  },
})
