import type { Row, Sql, Statement } from '../sql/port.ts'
import type { Query } from '../sql/query.ts'
import type { Split } from '../models/deploys/split.ts'
import type { MeasuredSide } from '../rules/diff_statistics.ts'
import type { Pair } from '../rules/statistics/stratified.ts'
import type { WebhookFormat } from '../models/names.ts'
import type { Condition, DecisionPart, Measure } from '../ledger/assess/parts.ts'
import type { Naming } from '../ledger/assess/naming.ts'
import type { EventSums } from '../ledger/events/event_sums.ts'
import type { Fed } from '../ledger/events/fed.ts'
import type { IngestPart } from '../ledger/events/ingest_part.ts'
import type { Check } from '../ledger/doctor/check.ts'
import type { Ledger, Pace } from '../ledger/world/ledger.ts'
import type { FeatureMetrics } from '../ledger/health/metrics.ts'
import type { Format } from '../ledger/webhooks/attempt.ts'

/**
 * What a feature does when the cron trigger of a Worker comes, each minute: `first` before the outbox is sent, `last` when
 * all else is done. It logs what fails.
 */
export interface Trigger {
  readonly first?: (ledger: Ledger) => Promise<void>
  /** `scheduledTime` is the minute that the trigger is for, epoch ms; it may come later. */
  readonly last?: (ledger: Ledger, at: { readonly scheduledTime: number }) => Promise<void>
}

/** What of a feature goes with run events that are removed. */
export interface Removal {
  /** What is pruned, as answers and logs name it. */
  readonly name: string
  /** Removes what there is of before a moment, epoch ms, and says how much it was. Called again after an interruption. */
  readonly prune: (db: Sql, before: number, pace: Pace) => Promise<number>
  /** Where it also goes when somebody prunes by hand: how much there is, and a text that says so of so much. */
  readonly byHand?: {
    readonly prunable: (db: Sql, before: number) => Promise<number>
    readonly words: (pruned: number) => string
  }
  /** Forgets traces of a tenant that is erased. Called again after an interruption. */
  readonly erase?: (db: Sql, traceIds: ReadonlySet<string>, pace: Pace) => Promise<void>
}

/** How what is promoted is split between two releases. */
export interface Splitting {
  /** More of a select over promoted_pointers, called `p`. */
  readonly columns: Statement
  readonly join: (clock: Statement) => Statement
  /** Undefined where nothing is split. */
  readonly splitOf: (row: Row) => Split | undefined
}

/** A place, and the release that is live there. */
interface LivePlace {
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
}

/**
 * Runs of the live release and of the one before it, which some units stay on by chance. Blocks of their aggregates
 * are buckets of units. Undefined without a holdback.
 */
export type HoldbackArms = (
  place: LivePlace,
  clock: Statement,
) => Query<Pair<Pick<MeasuredSide, 'aggregates' | 'parts'>> | undefined>

declare module '../ledger/world/ledger.ts' {
  /** What features add to the core, by the name under which it asks for it: an unknown name does not compile. */
  interface Parts {
    /** What the doctor looks at. */
    readonly checks: readonly Check[]
    /** What a ledger needs once a minute, whoever serves it. Cheap where there is nothing to do. */
    readonly upkeep: (ledger: Ledger, pace: Pace) => Promise<unknown>
    readonly trigger: Trigger
    /** What it adds to GET /metrics; labels have to be bounded. */
    readonly metrics: FeatureMetrics
    /** What it sums of run events as they are stored. */
    readonly sums: EventSums
    /** What it measures of the runs that a diff compares. */
    readonly measure: Measure
    /** Names of what its statistics mention by an id. */
    readonly naming: Naming
    /** What a promotion has to meet besides the policy. Evidence keeps what one feature found. */
    readonly condition: Condition
    /** Releases that it will still decide on; see `concernsOf`. */
    readonly concerns: Statement
    /** What it keeps of run events. */
    readonly ingest: IngestPart
    /** Days whose runs it sums from elsewhere; of all features one at most has such. */
    readonly fed: Fed
    /** Works out again from run events what it keeps of them. */
    readonly rebuild: (db: Sql, features: Features) => Promise<void>
    /** What it writes with a decision. */
    readonly decision: DecisionPart
    /** What retention removes of it. */
    readonly removal: Removal
    readonly split: Splitting
    readonly holdbackArms: HoldbackArms
    /** Bodies that payloads of webhooks are sent as. */
    readonly formats: Readonly<Partial<Record<WebhookFormat, Format>>>
  }
}
