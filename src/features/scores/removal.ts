import { type Sql, join, raw, sql } from '../../sql/port.ts'
import { allRows, ask, asNumber, asText, columns, field } from '../../sql/query.ts'
import type { Pace } from '../../ledger/world/ledger.ts'
import type { Removal } from '../feature.ts'
import { KEY_CHARS } from './rules_cases.ts'

export const removal: Removal = {
  what: 'score_cases',
  erase: eraseTraces,
  prune: pruneCases,
}

/** Parts that are looked through at a time. */
const PAGE = 20

const readPart = columns({ import_id: asText, part: asNumber, text: asText })

type Part = ReturnType<typeof readPart>

async function* pagesOfParts(db: Sql, column: 'cases_json' | 'details_json'): AsyncGenerator<Part[]> {
  for (let last: Part | undefined; ;) {
    const page = sql`SELECT import_id, part, ${raw(column)} AS text FROM score_parts
      WHERE (import_id, part) > (${last?.import_id ?? ''}, ${last?.part ?? -1})
        AND ${raw(column)} IS NOT NULL
      ORDER BY import_id, part LIMIT ${PAGE}`
    const rows: Part[] = await ask(db, allRows(page, readPart))
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
  }
}

/** Takes traces of a tenant that is erased out of what is shown of cases. */
async function eraseTraces(db: Sql, traceIds: ReadonlySet<string>, pace: Pace): Promise<void> {
  for await (const rows of pagesOfParts(db, 'details_json')) {
    const changes = rows.flatMap(({ import_id, part, text }) => {
      const details = JSON.parse(text) as { trace_id?: (string | null)[] }
      if (details.trace_id?.some(id => id !== null && traceIds.has(id)) !== true) return []
      const trace_id = details.trace_id.map(id => (id !== null && traceIds.has(id) ? null : id))
      const left = JSON.stringify({ ...details, trace_id })
      return [
        sql`UPDATE score_parts SET details_json = ${left} WHERE import_id = ${import_id} AND part = ${part}`,
      ]
    })
    if (changes.length > 0) await pace(() => db.batch(changes))
  }
}

/**
 * Removes the cases of imports of before a moment, but for the newest of each suite of a release, which decisions go by; and
 * the names that no case has any more.
 */
async function pruneCases(db: Sql, before: number, pace: Pace): Promise<number> {
  const older = sql`SELECT i.import_id FROM score_imports i JOIN score_evaluations e ON e.import_id = i.import_id
      WHERE i.created_at < ${before} AND EXISTS (SELECT 1 FROM score_parts p WHERE p.import_id = i.import_id)
        AND EXISTS (SELECT 1 FROM score_imports n
          WHERE n.release_id = i.release_id AND n.suite = i.suite AND n.seq > i.seq)`
  const old = await ask(db, allRows(older, field('import_id', asText)))
  for (const import_id of old) {
    await pace(() => db.batch([sql`DELETE FROM score_parts WHERE import_id = ${import_id}`]))
  }
  if (old.length > 0) await forgetNames(db, pace)
  return old.length
}

/** Names that are looked at at a time. */
const NAMES = 90

async function forgetNames(db: Sql, pace: Pace): Promise<void> {
  const used = new Set<string>()
  for await (const rows of pagesOfParts(db, 'cases_json')) {
    for (const { text } of rows) {
      const { keys } = JSON.parse(text) as { keys: string }
      for (let at = 0; at < keys.length; at += KEY_CHARS) used.add(keys.slice(at, at + KEY_CHARS))
    }
  }
  for (let last = ''; ;) {
    const page = sql`SELECT case_key FROM score_cases WHERE case_key > ${last} ORDER BY case_key LIMIT ${NAMES}`
    const keys = await ask(db, allRows(page, field('case_key', asText)))
    if (keys.length === 0) return
    const unused = keys.filter(key => !used.has(key))
    if (unused.length > 0) {
      const listed = join(
        unused.map(key => sql`${key}`),
        ', ',
      )
      await pace(() => db.batch([sql`DELETE FROM score_cases WHERE case_key IN (${listed})`]))
    }
    last = keys.at(-1)!
  }
}
