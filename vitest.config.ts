import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { FinalLine } from './test/support/final_line.ts'

const project = (name: string, testTimeout: number, globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: 60_000, globalSetup },
})

export default defineConfig({
  test: {
    pool: 'forks',
    // Most tests wait for a server, a browser or another process.
    maxWorkers: Math.max(3, availableParallelism()),
    // Memory is measured after a collection.
    execArgv: ['--expose-gc'],
    reporters: ['default', new FinalLine()],
    globalSetup: ['test/support/databases/postgres_server.ts'],
    projects: [
      project('unit', 20_000),
      project('conformance', 60_000),
      project('server', 60_000),
      project('workers', 60_000),
      project('cli', 60_000),
      project('crash', 180_000),
      project('web', 60_000, ['test/support/browser/web_build.ts']),
      project('package', 60_000),
      project('docs', 60_000),
      project('bench', 180_000),
    ],
  },
})
