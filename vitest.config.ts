import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { FinalLine } from './test/support/final_line.ts'

/** Ends a test that hangs, ms. Tests wait for events, which on a busy machine take their time. */
const TIMEOUT_MS = 300_000

const project = (name: string, globalSetup: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    // Files share a process and its modules: nothing that they touch is global but for its own test.
    isolate: false,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    globalSetup,
  },
})

export default defineConfig({
  test: {
    pool: 'forks',
    expect: { poll: { timeout: 120_000 } },
    // Most tests wait for a server, a browser or another process.
    maxWorkers: Math.max(3, availableParallelism()),
    // Memory is measured after a collection.
    execArgv: ['--expose-gc'],
    reporters: ['default', new FinalLine()],
    globalSetup: [
      'test/support/memory_folder.ts',
      'test/support/databases/postgres_server.ts',
      'test/support/workshop.ts',
    ],
    projects: [
      project('unit'),
      project('conformance'),
      project('server'),
      project('workers'),
      project('cli'),
      project('crash'),
      project('web', ['test/support/browser/web_build.ts']),
      project('package'),
      project('docs'),
      project('bench'),
    ],
  },
})
