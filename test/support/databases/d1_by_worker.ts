import type { D1Like } from '../../../src/sql/d1.ts'
import type { Answer, CallOptions } from '../services/call.ts'
import { D1_HEADER } from '../workers/settings.ts'

type D1Statement = ReturnType<D1Like['prepare']>
type D1Result = Awaited<ReturnType<D1Statement['all']>>

/** Statements that the Worker of the tests is to run, all in one batch or one alone, and what came of it. */
interface Statements {
  readonly statements: readonly { readonly text: string; readonly values: readonly unknown[] }[]
  readonly isBatch: boolean
}
type Outcome = { readonly results: D1Result[] } | { readonly problem: string }

/**
 * A D1 database of the Worker of the tests, for this process. Miniflare gives one as well, but there each statement and
 * what is bound to it is a request, for which the whole process waits; here a batch is one request.
 */
export function d1ByWorker(send: (options: CallOptions) => Promise<Answer>, name: string): D1Like {
  const sources = new WeakMap<D1Statement, Statements['statements'][number]>()
  async function ask(statements: readonly D1Statement[], isBatch: boolean): Promise<D1Result[]> {
    const body = { statements: statements.map(each => sources.get(each)!), isBatch } satisfies Statements
    const answer = await send({ body, headers: { [D1_HEADER]: name } })
    const outcome = answer.body as Outcome
    if ('problem' in outcome) throw new Error(outcome.problem)
    return outcome.results
  }
  function statement(text: string, values: readonly unknown[]): D1Statement {
    const made: D1Statement = {
      bind: (...bound) => statement(text, bound),
      all: async () => (await ask([made], false))[0]!,
    }
    sources.set(made, { text, values })
    return made
  }
  return { prepare: text => statement(text, []), batch: statements => ask(statements, true) }
}

/** The Worker's side of it. */
export async function runRequest(database: D1Like, request: Request): Promise<Response> {
  const { statements, isBatch } = (await request.json()) as Statements
  let outcome: Outcome
  try {
    const prepared = statements.map(({ text, values }) => database.prepare(text).bind(...values))
    outcome = { results: isBatch ? await database.batch(prepared) : [await prepared[0]!.all()] }
  } catch (error) {
    outcome = { problem: (error as Error).message }
  }
  return Response.json(outcome)
}
