import { actionsContract } from '../../test/conformance/suite/decisions/actions.ts'
import { actorsContract } from '../../test/conformance/suite/decisions/actors.ts'
import { approvalContract } from '../../test/conformance/suite/decisions/approval.ts'
import { boardContract } from '../../test/conformance/suite/decisions/board.ts'
import { decisionsContract } from '../../test/conformance/suite/decisions/decisions.ts'
import { refusedDecisionsContract } from '../../test/conformance/suite/decisions/decisions_refused.ts'
import { evidenceContract } from '../../test/conformance/suite/decisions/evidence.ts'
import { idempotencyContract } from '../../test/conformance/suite/decisions/idempotency.ts'
import { requestsContract } from '../../test/conformance/suite/decisions/requests.ts'
import { gateContract } from '../../test/conformance/suite/deploys/gate.ts'
import { pointersContract } from '../../test/conformance/suite/deploys/pointers.ts'
import { faultsContract } from '../../test/conformance/suite/operation/faults.ts'
import { integrityContract } from '../../test/conformance/suite/operation/integrity.ts'
import { environmentsContract } from '../../test/conformance/suite/rules/environments.ts'
import { explainContract } from '../../test/conformance/suite/rules/explain.ts'
import { overridesContract } from '../../test/conformance/suite/rules/overrides.ts'
import { policyContract } from '../../test/conformance/suite/rules/policy.ts'
import { replayContract } from '../../test/conformance/suite/rules/replay.ts'
import { approvalsContract } from '../../test/conformance/suite/trail/approvals.ts'
import { attestationsContract } from '../../test/conformance/suite/trail/attestations.ts'
import { auditLogContract } from '../../test/conformance/suite/trail/audit_log.ts'
import { breakGlassContract } from '../../test/conformance/suite/trail/break_glass.ts'
import { checkpointsContract } from '../../test/conformance/suite/trail/checkpoints.ts'
import { upkeepContract } from '../../test/conformance/suite/trail/upkeep.ts'
import { announcementsContract } from '../../test/conformance/suite/webhooks/announcements.ts'
import { testService } from '../../test/support/services/service.ts'

/** What of the contract of the API is about decisions and the trail: the rest takes most of its time. */
const CONTRACTS = [
  actionsContract,
  decisionsContract,
  refusedDecisionsContract,
  requestsContract,
  approvalContract,
  approvalsContract,
  idempotencyContract,
  evidenceContract,
  boardContract,
  gateContract,
  pointersContract,
  breakGlassContract,
  auditLogContract,
  attestationsContract,
  checkpointsContract,
  explainContract,
  environmentsContract,
  overridesContract,
  policyContract,
  actorsContract,
  announcementsContract,
  integrityContract,
  faultsContract,
  upkeepContract,
  replayContract,
]
for (const contract of CONTRACTS) contract(testService)
