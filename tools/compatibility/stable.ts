import { readFileSync } from 'node:fs'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** What the last release promised: its version, and a line for each thing that users build upon. */
export const STABLE = 'tools/compatibility/stable.txt'

export function readStable(): { readonly version: string; readonly lines: readonly string[] } {
  const [version = '', ...lines] = readFileSync(ROOT_PATH + STABLE, 'utf8')
    .trimEnd()
    .split('\n')
  return { version, lines }
}
