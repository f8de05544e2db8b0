import { describe, expect, test } from 'vitest'
import { badRequest } from '../../../../src/base/errors.ts'
import { repeatable } from '../../../../src/ledger/trail/idempotency.ts'
import { type Row, type Sql, SqlError, sql } from '../../../../src/sql/port.ts'

const KEY = { key: 'deploy-42', fingerprint: 'f' }

describe('a result that was kept', () => {
  const outcome = { action_id: 'act_1', policy: { passed: false } }
  const request = { request_id: 'prq_1', status: 'pending' }
  test.each([
    ['is given as it was', outcome],
    ['is given as it was, whatever its fields are called', request],
  ])('%s', async (_what, result) => {
    const db = holding([{ fingerprint: 'f', body_json: JSON.stringify(result) }])
    expect(await repeatable(db, KEY, never)).toEqual({ result, replayed: true })
  })

  test('is for the same request alone', async () => {
    const db = holding([{ fingerprint: 'of another', body_json: '{}' }])
    await expect(repeatable(db, KEY, never)).rejects.toMatchObject({
      status: 422,
      detail: [
        {
          loc: ['header', 'Idempotency-Key'],
          msg: 'was used for another request; use a new key',
          type: 'idempotency_mismatch',
        },
      ],
    })
  })
})

describe('an operation that fails', () => {
  const kept: Row = { fingerprint: 'f', body_json: '"of the other"' }
  test.each([
    ['because another took its key', new SqlError('unique', ''), true],
    ['and it is not known whether it was done', new SqlError('uncertain', ''), true],
    ['because of what another changed', badRequest('settled already'), true],
    ['because the database is busy', new SqlError('busy', ''), false],
    ['by a fault', new TypeError(''), false],
  ])('%s', async (_what, error, isOvertaken) => {
    const fail = (): Promise<never> => Promise.reject(error)
    const overtaken = repeatable(holding([], [kept]), KEY, fail)
    if (isOvertaken) expect(await overtaken).toEqual({ result: 'of the other', replayed: true })
    else await expect(overtaken).rejects.toBe(error)
    await expect(repeatable(holding([], []), KEY, fail)).rejects.toBe(error)
    await expect(repeatable(holding(), undefined, fail)).rejects.toBe(error)
  })
})

test('an operation with a key keeps what it gives, and one without keeps nothing', async () => {
  const operate = async (keep: (result: string, at: number, guard: ReturnType<typeof sql>) => unknown) =>
    keep('r', 7, sql`true`)
  const keyed = await repeatable<unknown>(holding([]), KEY, operate)
  expect(keyed.replayed).toBe(false)
  expect(keyed.result).toMatchObject([{ params: ['deploy-42', 'f', '"r"', 7] }])
  expect(await repeatable<unknown>(holding(), undefined, operate)).toEqual({ result: [], replayed: false })
})

async function never(): Promise<never> {
  throw new Error('was carried out')
}

/** A database that finds these rows, one list per query. */
function holding(...found: readonly (readonly Row[])[]): Sql {
  const left = [...found]
  const query: Sql['query'] = async () => ({ rows: [...left.shift()!], changes: 0 })
  return { query } as Partial<Sql> as Sql
}
