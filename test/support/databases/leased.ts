import { type Sql, SqlError } from '../../../src/sql/port.ts'

/** A database that is open for one test. What that leaves behind is waited for, and what it asks later is refused. */
export function leased(db: Sql): { sql: Sql; end: () => Promise<void> } {
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  function tracked<A extends unknown[], R>(call: (...given: A) => Promise<R>): (...given: A) => Promise<R> {
    return async (...given) => {
      if (isOver) throw new SqlError('unavailable', 'the test that this ledger was for is over')
      const answer = call(...given)
      underWay.add(answer)
      return answer.finally(() => underWay.delete(answer))
    }
  }
  const track = <T extends Omit<Sql, 'extras'>>(all: T): T => ({
    ...all,
    query: tracked(all.query),
    snapshot: tracked(all.snapshot),
    batch: tracked(all.batch),
    check: tracked(all.check),
    close: async () => void (isOver = true),
  })
  return {
    sql: track(db),
    end: async () => {
      isOver = true
      await Promise.allSettled(underWay)
    },
  }
}
