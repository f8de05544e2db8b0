import { remoteLedgers } from '../../../support/databases/servers/remote_libsql.ts'
import { workerService } from '../../../support/services/worker.ts'
import { decisionsContract } from '../../suite/decisions/decisions.ts'
import { diffReportContract } from '../../suite/decisions/diff_report.ts'
import { faultsContract } from '../../suite/operation/faults.ts'
import { integrityContract } from '../../suite/operation/integrity.ts'
import { eventsContract } from '../../suite/runs/events.ts'
import { runsContract } from '../../suite/runs/runs.ts'
import { webhooksContract } from '../../suite/webhooks/webhooks.ts'

/** What is particular to this pair: batches, reads and failures. Node runs the whole contract on the same adapter. */
const { makeService } = workerService(remoteLedgers())

for (const contract of [
  eventsContract,
  runsContract,
  diffReportContract,
  decisionsContract,
  webhooksContract,
  faultsContract,
  integrityContract,
]) {
  contract(makeService)
}
