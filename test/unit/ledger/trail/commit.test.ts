import { describe, expect, test } from 'vitest'
import { badRequest } from '../../../../src/base/errors.ts'
import { type BatchOptions, type Result, type Sql, SqlError, sql } from '../../../../src/sql/port.ts'
import { firstRow } from '../../../../src/sql/query.ts'
import { commitOnce } from '../../../../src/ledger/trail/chain.ts'

const DONE: Result = { rows: [{ id: 'done' }], changes: 1 }
const GUARDED: Result = { rows: [], changes: 0 }
const failure = (kind: SqlError['kind']) => new SqlError(kind, kind)
const [LOST, UNIQUE, BUSY] = [failure('uncertain'), failure('unique'), failure('busy')]

describe('a batch that says itself whether it was done', () => {
  test.each<
    [
      what: string,
      answers: readonly (Result | Error)[],
      recorded: string | undefined,
      came: unknown,
      lookups: number,
    ]
  >([
    ['is done', [DONE], 'found', 'done', 0],
    ['has lost its guard', [GUARDED], 'found', undefined, 0],
    ['is done when it is sent again', [LOST, DONE], 'found', 'done', 0],
    ['was done the first time, which moved its guard', [LOST, GUARDED], 'found', 'found', 1],
    ['was not done, and has lost its guard since', [LOST, GUARDED], undefined, undefined, 1],
    ['was done the first time, which took its id', [LOST, UNIQUE], 'found', 'found', 1],
    ['finds that another has its id', [LOST, UNIQUE], undefined, UNIQUE, 1],
    ['finds at once that another has its id', [UNIQUE], 'found', UNIQUE, 0],
    ['fails', [BUSY], 'found', BUSY, 0],
    ['fails when it is sent again', [LOST, BUSY], 'found', BUSY, 0],
    ['is refused', [badRequest('no')], 'found', badRequest('no'), 0],
    ['is lost thrice, then done', [LOST, LOST, LOST, DONE], 'found', 'done', 0],
    ['is lost four times', [LOST, LOST, LOST, LOST, DONE], 'found', LOST, 0],
  ])('%s', async (_what, answers, recorded, came, lookups) => {
    const tried = await commit(answers, { recorded })
    expect(tried.came).toEqual(came)
    expect(tried.lookups).toBe(lookups)
    expect(tried.left).toBe(answers.length === 5 ? 1 : 0)
  })

  test.each([
    [34_999, 'done'],
    [35_000, LOST],
  ])('is sent again while its caller has time: %i of 35,000 ms are over', async (tookMs, came) => {
    expect((await commit([LOST, DONE], { tookMs })).came).toEqual(came)
  })

  test('is on the disk when it is done', async () => {
    expect((await commit([LOST, DONE])).options).toEqual([{ durable: true }, { durable: true }])
  })
})

/** What became of a batch that the database answers in this way, one answer for each time it is sent. */
async function commit(
  answers: readonly (Result | Error)[],
  { recorded, tookMs = 0 }: { readonly recorded?: string | undefined; readonly tookMs?: number } = {},
) {
  const left = [...answers]
  const options: (BatchOptions | undefined)[] = []
  let [leftMs, lookups] = [35_000, 0]
  const batch: Sql['batch'] = async (_statements, given) => {
    options.push(given)
    leftMs -= tookMs
    const answer = left.shift()!
    if (answer instanceof Error) throw answer
    return [answer]
  }
  const came = await commitOnce(
    { sql: { batch, options: { deadline: { leftMs: () => leftMs } } } as Partial<Sql> as Sql },
    firstRow(sql`SELECT 1`, row => row.id),
    async () => {
      lookups += 1
      return recorded
    },
  ).catch((error: unknown) => error)
  return { came, lookups, options, left: left.length }
}
