import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { FinalLine } from './test/support/final_line.ts'
import { leftOutBy } from './test/support/left_out.ts'
import { LongestFirst } from './test/support/longest_first.ts'

/** Ends a test that hangs, ms. Tests wait for events, which on a busy machine take their time. */
const TIMEOUT_MS = 300_000

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOutBy(process.argv.slice(2))],
    pool: 'forks',
    // Files share a process and its modules, which take seconds to load: nothing that they touch is global but for its own
    // test. Vitest shares processes within a project only, so tests of all kinds are one.
    isolate: false,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: 120_000 } },
    // Most tests wait for a server, a browser or another process.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    // Memory is measured after a collection.
    execArgv: ['--expose-gc'],
    reporters: ['default', new FinalLine()],
    // `npx vitest run test/unit test/conformance test/server test/cli --coverage` turns it on.
    coverage: {
      provider: 'v8',
      reporter: ['text'],
      include: ['src/**/*.{ts,tsx}', 'handlers/**/*.ts'],
    },
    setupFiles: ['test/support/setup.ts'],
    globalSetup: [
      'test/support/memory_folder.ts',
      'test/support/workshop.ts',
      'test/support/browser/web_build.ts',
    ],
  },
})
