import { spawn } from 'node:child_process'
import { badRequest } from '../../base/errors.ts'
import type { CellEngine } from '../../models/documents/workspace.ts'
import { checkedFetch } from '../../runtime/node/send.ts'
import { openPostgres } from '../../sql/postgres/node.ts'
import { raw } from '../../sql/port.ts'
import { MOST_BYTES } from './import.ts'
import { queriesOf } from './rules_sql.ts'

/** A question to an engine. */
interface Asking {
  readonly engine: CellEngine
  /** Whole hours and minutes, epoch ms. */
  readonly from: number
  readonly to: number
  readonly secret: (name: string) => string | undefined
  readonly signal: AbortSignal
}

/** How long an engine may take to answer, ms. */
export const ANSWER_MS = 120_000

/** The queries of an engine, without the time; of a command itself. */
export function queriesFor({ engine, command, table = 'runs' }: CellEngine): readonly string[] {
  if (engine === 'command') return [JSON.stringify(command ?? [])]
  return queriesOf(engine).map(({ sql }) => sql.replaceAll('{table}', table))
}

/** The lines of cells that an engine makes of a time. Throws what it says, or that it says nothing in time. */
export async function linesOf(asking: Asking): Promise<string> {
  const { engine, signal } = asking
  const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  const ask = { clickhouse: ofClickHouse, postgres: ofPostgres, command: ofCommand }[engine.engine]
  return inTime(ask({ ...asking, signal: within }), within, engine.name)
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

function filled({ engine, from, to }: Asking): string[] {
  return queriesFor(engine).map(sql =>
    sql.replaceAll('{from_ms}', String(from)).replaceAll('{to_ms}', String(to)),
  )
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
  for (const sql of filled(asking)) {
    const answer = await fetch(urlOf(asking), {
      method: 'POST',
      headers: {
        ...(engine.user === undefined ? {} : { 'x-clickhouse-user': engine.user }),
        ...(password === undefined ? {} : { 'x-clickhouse-key': password }),
      },
      body: `${sql}\nFORMAT JSONEachRow`,
      signal,
    })
    const text = await answer.text()
    if (!answer.ok) throw badRequest(`${engine.name} answered ${answer.status}: ${text.slice(0, 300)}`)
    texts.push(text)
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
    for (const sql of filled(asking)) {
      const { rows } = await db.query(raw(`SELECT CAST(q.row_to_json AS TEXT) AS line FROM (${sql}) AS q`))
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
