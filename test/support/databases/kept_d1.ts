import type { D1Like } from '../../../src/sql/d1.ts'

type D1Statement = ReturnType<D1Like['prepare']>

/**
 * A D1 database of Miniflare whose statements are kept until they are answered. Miniflare drops in workerd what is
 * garbage here, and on a busy machine that overtook the batch that the garbage had just been an argument of.
 */
export function keptD1(database: D1Like): D1Like {
  const kept = new Set<unknown>()
  const inner = new WeakMap<D1Statement, D1Statement>()
  async function keep<T>(used: unknown, answer: Promise<T>): Promise<T> {
    kept.add(used)
    try {
      return await answer
    } finally {
      kept.delete(used)
    }
  }
  function keeping(statement: D1Statement): D1Statement {
    const outer: D1Statement = {
      bind: (...values) => keeping(statement.bind(...values)),
      all: () => keep(statement, statement.all()),
    }
    inner.set(outer, statement)
    return outer
  }
  return {
    prepare: text => keeping(database.prepare(text)),
    batch: statements => {
      const all = statements.map(statement => inner.get(statement)!)
      return keep(all, database.batch(all))
    },
  }
}
