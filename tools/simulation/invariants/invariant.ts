import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SimulatedDatabase } from '../database.ts'

/** By name, and how often each is looked at. */
export const INVARIANTS = {
  'audit_seq is contiguous': 'each commit',
  'the chain is valid': 'each commit; from its start at each reckoning',
  'the audit log is contiguous and chained': 'each commit; from its start at each reckoning',
  'the baseline is the one that was promoted': 'each decision',
  'the policy is the one in force': 'each decision',
  'the rates are those in force': 'each decision',
  'the runs are those of its time': 'each decision',
  'a replayed decision gives its verdict again': 'each decision',
  'the pointer is the last passed or forced action': 'each commit',
  'a deed decides once': 'each decision',
  'what was asked once is done once': 'each reckoning',
  'a request is settled once': 'each commit',
  'the split in force follows from the audit trail': 'each commit',
  'a rollout is what the audit trail says of it': 'each commit',
  'time is that of the database': 'each decision',
  'a frozen place takes no promotion, and another one is not frozen': 'each promotion',
  'what is promoted was live for as long as is asked': 'each promotion',
  'a clock that is wrong decides nothing': 'each promotion',
  'a request ends when it says': 'each commit; each answer',
  'each decision is announced': 'each decision; at the end for each delivery',
  'nothing is announced sooner than it is recorded': 'each delivery',
  'what was acknowledged is there': 'each answer',
  'events are stored once, as they were sent': 'each commit',
  'a run has the tokens of all spans that came before it': 'each commit',
  'a call that is in no run is told of': 'each answer',
  'what was erased never comes back': 'each commit, and when an erasure ends',
  'what comes back was pruned': 'each commit',
  'rollups are the sums of events': 'each reckoning',
  'the service answers without faults of its own': 'each answer',
  'everything ends': 'at the end',
  'the doctor finds nothing': 'at the end',
} as const

export type Invariant = keyof typeof INVARIANTS

/** An invariant that does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation'
  readonly invariant: Invariant

  constructor(invariant: Invariant, found: string) {
    super(`${invariant}: ${found}`)
    this.invariant = invariant
  }
}

/** Throws {@link Violation} unless both are the same. */
export function same(invariant: Invariant, what: string, found: unknown, expected: unknown): void {
  if (found === expected || isDeepStrictEqual(found, expected)) return
  throw new Violation(invariant, `${what} is ${shown(found)}, not ${shown(expected)}`)
}

function shown(value: unknown): string {
  return JSON.stringify(value instanceof Set ? [...value] : value)
}

export function holds(invariant: Invariant, isSo: boolean, otherwise: () => string): void {
  if (!isSo) throw new Violation(invariant, otherwise())
}

/** Made with another implementation than the service's own. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export type Rows = SimulatedDatabase['rows']

/** The deed whose mark a text ends with. */
export function deedOf(text: string): number | undefined {
  const marks = [...text.matchAll(/deed-(\d+)\./g)]
  return marks.length === 0 ? undefined : Number(marks.at(-1)![1])
}
