import { spawn } from 'node:child_process'
import { badRequest } from '../../base/errors.ts'
import type { CellEngine } from '../../models/documents/workspace.ts'
import { checkedFetch } from '../../runtime/node/send.ts'
import { openPostgres } from '../../sql/postgres/node.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asText, ask, columns } from '../../sql/query.ts'
import { ageMs } from '../../rules/window.ts'
import { MOST_BYTES } from './import.ts'
import { DEFAULT_LONGEST, type Fill, type KnownRelease, checkedSchema, filledQueries } from './rules_sql.ts'
import type { Engine } from './rules_sql_ours.ts'

/** A question to an engine. */
interface Asking {
  readonly engine: CellEngine
  /** Whole hours and minutes, epoch ms. */
  readonly from: number
  readonly to: number
  /** The ledger, for the releases that it knows. */
  readonly db: Sql
  readonly secret: (name: string) => string | undefined
  readonly signal: AbortSignal
}

/** How long an engine may take to answer, ms. */
export const ANSWER_MS = 120_000

/** The queries of an engine, without the time and the releases that are known; of a command itself. */
export function queriesFor(engine: CellEngine): readonly string[] {
  return engine.engine === 'command'
    ? [JSON.stringify(engine.command ?? [])]
    : textsOf({ ...engine, engine: engine.engine }, {})
}

function textsOf(engine: Omit<CellEngine, 'engine'> & { readonly engine: Engine }, fill: Fill): string[] {
  const { schema = 'ours', table, parts, scores, project, longest_run = DEFAULT_LONGEST } = engine
  checkedSchema({ engine: engine.engine, schema, project })
  const own = { table, parts, scores, project, max_run_ms: ageMs(longest_run) }
  return filledQueries(engine.engine, schema, { ...own, ...fill }).map(({ sql: text }) => text)
}

/** Most releases that a query names: ClickHouse takes texts of 256 kB. */
const MOST_RELEASES = 1000

/** The newest releases, as traces name them. A version that means several which differ is left out, as by /v1/traces. */
export async function knownReleases(db: Sql): Promise<KnownRelease[]> {
  const newest = allRows(
    sql`SELECT r.agent_id, r.version, r.release_id, r.model, r.pricing_provider AS provider FROM releases r
      WHERE r.seq IN (SELECT max(seq) FROM releases GROUP BY agent_id, version HAVING count(DISTINCT checksum) = 1)
      ORDER BY r.seq DESC LIMIT ${MOST_RELEASES}`,
    columns({ agent_id: asText, version: asText, release_id: asText, model: asText, provider: asText }),
  )
  const releases = await ask(db, newest)
  if (releases.length === 0) throw badRequest('No release is registered yet: traces name runs by them.')
  return releases
}

/** The lines of cells that an engine makes of a time. Throws what it says, or that it says nothing in time. */
export async function linesOf(asking: Asking): Promise<string> {
  const { engine, signal } = asking
  const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  const answer = { clickhouse: ofClickHouse, postgres: ofPostgres, command: ofCommand }[engine.engine]
  return inTime(answer({ ...asking, signal: within }), within, engine.name)
}

/** An engine that hangs is left. */
function inTime<T>(work: Promise<T>, signal: AbortSignal, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(badRequest(`${name} did not answer within ${ANSWER_MS / 1000} s.`))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

async function filled({ engine, from, to, db }: Asking): Promise<string[]> {
  if (engine.engine === 'command') return []
  const isTraces = (engine.schema ?? 'ours') !== 'ours'
  const releases = isTraces ? await knownReleases(db) : undefined
  return textsOf({ ...engine, engine: engine.engine }, { from_ms: from, to_ms: to, releases })
}

function urlOf({ engine, secret }: Asking): string {
  const { name, url, url_ref } = engine
  const found = url ?? (url_ref === undefined ? undefined : secret(url_ref))
  if (found !== undefined) return found
  throw badRequest(
    url_ref === undefined
      ? `service.yaml: the source ${name} has no url.`
      : `${url_ref} is not set: it holds the url of the source ${name}.`,
  )
}

async function ofClickHouse(asking: Asking): Promise<string> {
  const { engine, secret, signal } = asking
  const fetch = checkedFetch({ denyPrivate: engine.allow_private !== true, mostBytes: MOST_BYTES })
  const password = engine.password_ref === undefined ? undefined : secret(engine.password_ref)
  const texts: string[] = []
  for (const text of await filled(asking)) {
    const answer = await fetch(urlOf(asking), {
      method: 'POST',
      headers: {
        ...(engine.user === undefined ? {} : { 'x-clickhouse-user': engine.user }),
        ...(password === undefined ? {} : { 'x-clickhouse-key': password }),
      },
      body: `${text}\nFORMAT JSONEachRow`,
      signal,
    })
    const said = await answer.text()
    if (!answer.ok) throw badRequest(`${engine.name} answered ${answer.status}: ${said.slice(0, 300)}`)
    texts.push(said)
  }
  return texts.join('\n')
}

async function ofPostgres(asking: Asking): Promise<string> {
  const url = urlOf(asking)
  if (asking.engine.allow_private !== true)
    throw badRequest(
      `service.yaml: the source ${asking.engine.name} is a database: set allow_private: true for it.`,
    )
  const db = openPostgres({ url })
  try {
    const lines: string[] = []
    for (const text of await filled(asking)) {
      const { rows } = await db.query(raw(`SELECT CAST(q.row_to_json AS TEXT) AS line FROM (${text}) AS q`))
      for (const { line } of rows) lines.push(String(line))
    }
    return lines.join('\n')
  } finally {
    await db.close()
  }
}

/** A program that prints cells; the time is in FROM_MS and TO_MS, and it gets no other part of our environment but PATH. */
function ofCommand({ engine, from, to, secret, signal }: Asking): Promise<string> {
  const [program, ...args] = engine.command ?? []
  if (program === undefined) throw badRequest(`service.yaml: the source ${engine.name} has no command.`)
  const password = engine.password_ref === undefined ? undefined : secret(engine.password_ref)
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    FROM_MS: String(from),
    TO_MS: String(to),
    ...(password === undefined ? {} : { [engine.password_ref!]: password }),
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    let [bytes, said] = [0, '']
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) child.kill()
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-300)
    })
    child.on('error', error =>
      reject(badRequest(`${engine.name}: ${program} can't be run: ${error.message}.`, error)),
    )
    child.on('close', code => {
      if (bytes > MOST_BYTES) reject(badRequest(`${engine.name} printed more than ${MOST_BYTES} bytes.`))
      else if (code !== 0) reject(badRequest(`${engine.name}: ${program} ended with ${code}: ${said.trim()}`))
      else resolve(Buffer.concat(chunks).toString('utf8'))
    })
  })
}
