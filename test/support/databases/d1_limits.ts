import { type Sql, SqlError, type Statement } from '../../../src/sql/port.ts'

/** What D1 takes of one statement (https://developers.cloudflare.com/d1/platform/limits/). */
const MAX_PARAMS = 100
const MAX_SQL_BYTES = 100_000
const MAX_PARAM_BYTES = 2_000_000
const MAX_COMPOUND_TERMS = 5

const TOO_LARGE = 'a parameter above 2 MB'

/** The same database, but a statement that D1 would refuse is refused here too, so Node fails where Workers would. */
export function withD1Limits(db: Sql): Sql {
  if (db.dialect !== 'sqlite') return db
  return {
    ...db,
    query: async (statement, options) => (refuse([statement]), db.query(statement, options)),
    snapshot: async (statements, options) => (refuse(statements), db.snapshot(statements, options)),
    batch: async (statements, options) => (refuse(statements), db.batch(statements, options)),
  }
}

function refuse(statements: readonly Statement[]): void {
  for (const statement of statements) {
    const problem = d1Problem(statement)
    if (problem === undefined) continue
    const message = `D1 would refuse this: ${problem}`
    if (problem === TOO_LARGE) throw new SqlError('too_large', message)
    throw new Error(`${message}\n${statement.text}`)
  }
}

/** Why D1 would refuse a statement, or undefined. */
export function d1Problem({ text, params }: Statement): string | undefined {
  if (params.length > MAX_PARAMS) return `${params.length} parameters`
  const longest = Math.max(0, ...params.map(param => (typeof param === 'string' ? bytes(param) : 0)))
  if (longest > MAX_PARAM_BYTES) return TOO_LARGE
  if (accepted.has(text)) return undefined
  const problem = textProblem(text)
  if (problem === undefined) accepted.add(text)
  return problem
}

/** Texts that D1 takes: most statements come again and again. */
const accepted = new Set<string>()

function textProblem(text: string): string | undefined {
  if (bytes(text) > MAX_SQL_BYTES) return `${bytes(text)} bytes of SQL`
  const terms = mostCompoundTerms(text)
  if (terms > MAX_COMPOUND_TERMS) return `${terms} terms in a compound SELECT`
  return /^\s*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT)\b/i.test(text) ? 'a transaction of its own' : undefined
}

/** The most SELECTs that UNION and its like join on one level of parentheses. */
function mostCompoundTerms(text: string): number {
  const open = [1]
  let most = 1
  for (const [token] of text
    .replaceAll(/'[^']*'|--.*/g, '')
    .matchAll(/[()]|\b(?:UNION|EXCEPT|INTERSECT)\b/gi)) {
    if (token === '(') open.push(1)
    else if (token === ')') open.pop()
    else most = Math.max(most, ++open[open.length - 1]!)
  }
  return most
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
