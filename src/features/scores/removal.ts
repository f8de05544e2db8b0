import { type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, ask, columns, field, listed } from '../../sql/query.ts'
import type { Pace } from '../../ledger/world/ledger.ts'
import type { Removal } from '../feature.ts'
import { keysIn } from './rules_cases.ts'

export const removal: Removal = {
  name: 'score_cases',
  byHand: {
    words: imports => `the cases of ${imports} ${imports === 1 ? 'import' : 'imports'} of scores`,
    prunable: async (db, before) => (await oldImports(db, before)).length,
  },
  prune: pruneCases,
  erase: eraseTraces,
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

/** Imports of before a moment that keep their cases, but for the newest of each suite of a release, which decisions go by. */
function oldImports(db: Sql, before: number): Promise<string[]> {
  const older = sql`SELECT i.import_id FROM score_imports i
      WHERE i.created_at < ${before} AND EXISTS (SELECT 1 FROM score_parts p WHERE p.import_id = i.import_id)
        AND EXISTS (SELECT 1 FROM score_imports n
          WHERE n.release_id = i.release_id AND n.suite = i.suite AND n.seq > i.seq)`
  return ask(db, allRows(older, field('import_id', asText)))
}

/** Removes their cases. The names that no other case has go first: ended midway, the next call finds both again. */
async function pruneCases(db: Sql, before: number, pace: Pace): Promise<number> {
  const old = await oldImports(db, before)
  if (old.length > 0) await forgetNames(db, new Set(old), pace)
  for (const import_id of old) {
    await pace(() => db.batch([sql`DELETE FROM score_parts WHERE import_id = ${import_id}`]))
  }
  return old.length
}

/** Names that are looked at at a time. */
const NAMES = 90

async function forgetNames(db: Sql, old: ReadonlySet<string>, pace: Pace): Promise<void> {
  const used = new Set<string>()
  for await (const rows of pagesOfParts(db, 'cases_json')) {
    for (const { import_id, text } of rows)
      if (!old.has(import_id)) for (const key of keysIn(text)) used.add(key)
  }
  for (let last = ''; ;) {
    const page = sql`SELECT case_key FROM score_cases WHERE case_key > ${last} ORDER BY case_key LIMIT ${NAMES}`
    const keys = await ask(db, allRows(page, field('case_key', asText)))
    if (keys.length === 0) return
    const unused = keys.filter(key => !used.has(key))
    if (unused.length > 0) {
      await pace(() => db.batch([sql`DELETE FROM score_cases WHERE case_key IN (${listed(unused)})`]))
    }
    last = keys.at(-1)!
  }
}
