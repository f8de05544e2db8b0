import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { ROOT } from '../../../src/runtime/root.ts'

/** Builds the pages before the tests that open them, so that they see the source as it is. */
export function setup({ vitest }: TestProject): void {
  if (!vitest.state.getPaths().some(path => path.includes('/test/web/'))) return
  execFileSync(process.execPath, [fileURLToPath(new URL('tools/web.mjs', ROOT))])
}
