import { type Sql, sql } from '../../sql/port.ts'
import {
  allRows,
  asNumber,
  ask,
  asText,
  asTime,
  columns,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'

export const CHECKS: readonly Check[] = [
  { name: 'trace_spans', run: checkSpans },
  { name: 'kept_spans', deep: true, run: checkKeptSpans },
]

/** What became of the spans that were remembered, where there were some: a sender that cuts traces is no fault of the ledger. */
async function checkSpans(db: Sql): Promise<DoctorCheck[]> {
  const { kept, counted } = await ask(
    db,
    together({
      kept: onlyRow(
        sql`SELECT count(*) AS n, min(arrived_at) AS since FROM kept_spans`,
        columns({ n: asNumber, since: orNull(asTime) }),
      ),
      counted: allRows(
        sql`SELECT name, sum(value) AS n FROM counters
          WHERE name IN ('run_spans_late', 'run_spans_forgotten') GROUP BY name`,
        columns({ name: asText, n: asNumber }),
      ),
    }),
  )
  const { n, since } = kept
  const counts = new Map(counted.map(({ name, n: count }) => [name, count]))
  const late = counts.get('run_spans_late') ?? 0
  const forgotten = counts.get('run_spans_forgotten') ?? 0
  if (n + late + forgotten === 0) return []
  const waiting = since === null ? '' : `, the first since ${since}`
  const lost =
    late + forgotten === 0
      ? ''
      : `; ${late} calls came after their run was stored, and ${forgotten} spans were forgotten before their run came: ` +
        'send whole traces (docs/sources/traces.md)'
  return [pass('trace_spans', `${n} spans are remembered of runs that are not stored${waiting}${lost}`)]
}

/** Rows that are read at a time. */
const PAGE = 1000

/** Every remembered span can be read as what it is: a run that it is joined to counts it. */
async function checkKeptSpans(db: Sql): Promise<DoctorCheck> {
  const name = 'kept_spans'
  let verified = 0
  for (let seq = 0; ;) {
    const page = sql`SELECT seq, trace_id, span_id, untold, span_json FROM kept_spans
      WHERE seq > ${seq} ORDER BY seq LIMIT ${PAGE}`
    const rows: KeptSpan[] = await ask(db, allRows(page, readSpan))
    const bad = rows.find(row => !isSpan(row))
    if (bad !== undefined) {
      return fail(
        name,
        `span ${bad.span_id} of trace ${bad.trace_id} is not as it was written; remove its row`,
      )
    }
    verified += rows.length
    if (rows.length < PAGE) return pass(name, `${verified} can be read`)
    seq = rows.at(-1)!.seq
  }
}

const readSpan = columns({
  seq: asNumber,
  trace_id: asText,
  span_id: asText,
  untold: asNumber,
  span_json: asText,
})

type KeptSpan = ReturnType<typeof readSpan>

function isSpan({ trace_id, untold, span_json }: KeptSpan): boolean {
  if (!/^[0-9a-f]{32}$/.test(trace_id) || (untold !== 0 && untold !== 1)) return false
  try {
    const { parentId, endMs, latencyMs, hasFailed, attributes, resource } = JSON.parse(span_json)
    return (
      (parentId === undefined || typeof parentId === 'string') &&
      [endMs, latencyMs].every(Number.isSafeInteger) &&
      typeof hasFailed === 'boolean' &&
      [attributes, resource].every(value => typeof value === 'object' && value !== null)
    )
  } catch {
    return false
  }
}
