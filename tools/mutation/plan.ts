import { readFileSync } from 'node:fs'
import type { Numbered } from './instrument.ts'

/** What a run of one test file is told, by the file that `MUTATION_PLAN` names. */
export interface Plan {
  readonly root: string
  /** The file of tests, from the root. */
  readonly tests: string
  /** Above the number of every mutant. */
  readonly size: number
  /** Mutants that still live, by the file that they are in. */
  readonly mutants: Readonly<Record<string, readonly Numbered[]>>
  /** A mutant that is on from the first import, for what only runs once; otherwise each is tried while tests run. */
  readonly always: number | null
  readonly seed: number
  /** Notes are added to this file, a line each. */
  readonly notes: string
}

/** What a run found; `tests` is the file that it ran. */
export type Note =
  | { readonly kind: 'killed' | 'timeout'; readonly id: number; readonly by: string }
  /** A test reached its place and passed. */
  | { readonly kind: 'tried'; readonly id: number }
  /** Its place runs while the file is imported, or in a test that can't run twice in a row: it has to be on from the start. */
  | { readonly kind: 'whole'; readonly id: number; readonly tests: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** How long the tests took once, ms. */
  | { readonly kind: 'done'; readonly tests: string; readonly tookMs: number }

export function readPlan(): Plan {
  return JSON.parse(readFileSync(process.env.MUTATION_PLAN!, 'utf8')) as Plan
}
