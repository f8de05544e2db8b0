import type { Statement } from '../sql/port.ts'
import type { WebhookFormat } from '../models/names.ts'
import type { Measure } from '../ledger/assess/measure.ts'
import type { DecisionPart } from '../ledger/assess/decision_part.ts'
import type { Check } from '../ledger/doctor/check.ts'
import type { AnyFeature, Lazy } from '../ledger/world/feature.ts'
import type { Ledger, Pace } from '../ledger/world/ledger.ts'
import type { Format } from '../ledger/webhooks/attempt.ts'

/** What one feature adds to the core. */
export interface Feature extends AnyFeature {
  /** What the doctor looks at. */
  readonly checks?: Lazy<readonly Check[]>
  /** What a ledger needs once a minute, whoever serves it. Cheap where there is nothing to do. */
  readonly upkeep?: Lazy<(ledger: Ledger, pace: Pace) => Promise<unknown>>
  /** What it measures of the runs that a diff compares. */
  readonly measure?: Lazy<Measure>
  /** Releases that it will still decide on; see `concernsOf`. */
  readonly concerns?: Lazy<Statement>
  /** What it writes with a decision. */
  readonly decision?: Lazy<DecisionPart>
  /** Bodies that payloads of webhooks are sent as. */
  readonly formats?: Lazy<Readonly<Partial<Record<WebhookFormat, Format>>>>
}
