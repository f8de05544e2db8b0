import type { MakeService } from '../../support/service.ts'
import { diffPolicyContract } from './diff_policy.ts'
import { diffPricingContract } from './diff_pricing.ts'
import { refusedDiffContract } from './diff_refused.ts'
import { diffReportContract } from './diff_report.ts'
import { eventsContract } from './events.ts'
import { refusedEventsContract } from './events_refused.ts'
import { healthContract } from './health.ts'
import { policyContract } from './policy.ts'
import { pricingContract } from './pricing.ts'
import { releasesContract } from './releases.ts'
import { decisionsContract } from './decisions.ts'
import { reachContract } from './reach.ts'
import { actorsContract } from './actors.ts'
import { idempotencyContract } from './idempotency.ts'
import { approvalContract } from './approval.ts'
import { actionsContract } from './actions.ts'
import { boardContract } from './board.ts'
import { runsContract } from './runs.ts'
import { runsModelContract } from './runs_model.ts'
import { runsOverTimeContract } from './runs_over_time.ts'
import { worstRunsContract } from './runs_worst.ts'
import { routingContract } from './routing.ts'
import { accessContract } from './access.ts'
import { webhooksContract } from './webhooks.ts'
import { announcementsContract } from './announcements.ts'
import { integrityContract } from './integrity.ts'
import { outboxContract } from './outbox.ts'

/** The whole contract of the HTTP API, for one database and runtime. */
export function serviceContract(makeService: MakeService): void {
  for (const contract of CONTRACTS) contract(makeService)
}

const CONTRACTS = [
  healthContract,
  releasesContract,
  pricingContract,
  policyContract,
  eventsContract,
  refusedEventsContract,
  diffReportContract,
  diffPolicyContract,
  diffPricingContract,
  refusedDiffContract,
  decisionsContract,
  reachContract,
  actorsContract,
  idempotencyContract,
  approvalContract,
  actionsContract,
  boardContract,
  runsContract,
  runsModelContract,
  runsOverTimeContract,
  worstRunsContract,
  routingContract,
  accessContract,
  webhooksContract,
  announcementsContract,
  outboxContract,
  integrityContract,
] as const
