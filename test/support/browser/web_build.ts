import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../../src/runtime/root.ts'

/** Builds the pages before the tests that open them, so that they see the source as it is. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('tools/web.mjs', ROOT))])
}
