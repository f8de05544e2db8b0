import { onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { workerService } from '../../support/workers/service.ts'
import { crossContract } from '../suite/index.ts'

const { makeService } = workerService(async () => {
  const name = await temporaryDatabase()
  const sql = openPostgres({ url: `${name}?max=4` })
  onTestFinished(() => sql.close())
  return { name, sql }
})

crossContract(makeService)
