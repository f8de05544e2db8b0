import { expect, onTestFinished, test } from 'vitest'
import { keepingPlans } from '../../../src/sql/deadline.ts'
import { sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'

test('a statement is carried out by a session that keeps its plan, where one is free', async () => {
  const db = openPostgres({ url: await temporaryDatabase() })
  onTestFinished(() => db.close())
  const keeping = keepingPlans(db)
  const [one, other] = [
    sql`SELECT ${1} AS id, pg_backend_pid() AS pid`,
    sql`SELECT ${2} AS other, pg_backend_pid() AS pid`,
  ]
  const together = await Promise.all([one, other].map(each => keeping.query(each)))
  const pids = together.map(({ rows }) => rows[0]!.pid)
  expect(new Set(pids).size).toBe(2)
  for (const [index, each] of [one, one, other, one, other, other].entries()) {
    const { rows } = await keeping.query(each)
    expect([index, rows[0]!.pid]).toEqual([index, pids[each === one ? 0 : 1]])
  }
  // Of both at once, neither session has all plans: it is that with the longer one.
  const { rows } = (await keeping.snapshot([one, { ...other, text: `${other.text} LIMIT 1` }]))[0]!
  expect(rows[0]!.pid).toBe(pids[0])
})
