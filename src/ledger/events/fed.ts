import type { Statement } from '../../sql/port.ts'
import type { Query } from '../../sql/query.ts'
import type { Window } from '../../rules/window.ts'
import type { SideSource } from '../../rules/evidence.ts'
import type { AggregateSource } from './gaps.ts'

/** Days of releases whose runs are summed elsewhere: events of these are not stored, and only sums are there. */
export interface Fed {
  /** Whether a day of a scope is one, given the scope's id and a time: expressions. A condition. */
  readonly isFed: (scope: Statement, ts: Statement) => Statement
  /** Who sums the days that these events are of, by their scopes and times, and how many events that concerns. */
  readonly fedBy: (
    events: readonly (readonly [scope: number, ts: number])[],
  ) => Query<readonly { readonly source: string; readonly events: number }[]>
  /** Who sums runs of each of these releases in a window, as the snapshot that compares them sees it. */
  readonly sourcesOf: (releaseIds: readonly string[], environment: string, window: Window) => Query<FedSide[]>
  /** Up to when all who sum runs of these releases are complete, as {@link FedSide} has it. */
  readonly coveredTo: (environment: string, releaseIds: readonly string[], window: Window) => Query<number>
  /** Who sums any runs of these releases there. */
  readonly namesOf: (environment: string, releaseIds: readonly string[]) => Query<readonly string[]>
}

/** What a side of a comparison takes from sources; empty where it is run events alone. */
export interface FedSide {
  /** Up to when all of them are complete, epoch ms; Infinity where there are none. */
  readonly coveredTo: number
  /** Who they are, and where the runs can be looked at. */
  readonly kept: readonly AggregateSource[]
  /** Of each that is too far behind the end of the window to decide by, what to say. */
  readonly stale: readonly string[]
  /** What evidence says of them. */
  readonly sources: () => Promise<readonly SideSource[]>
}
