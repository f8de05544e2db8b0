import { onTestFinished } from 'vitest'
import { sql } from '../../../src/sql/port.ts'
import { workerService } from '../../support/workers/service.ts'
import { appendOnlyContract } from '../suite/append_only.ts'
import { sourceNotesContract } from '../suite/runs/source_notes.ts'
import { sqlPortContract } from '../suite/sql_port.ts'

const { d1, makeService } = workerService(fixture => fixture.d1())

sqlPortContract(async () => {
  const ledger = await d1()
  onTestFinished(async () => void (await ledger.sql.batch([sql`DROP TABLE things`])))
  return ledger.sql
})

appendOnlyContract(makeService)
sourceNotesContract(makeService)
