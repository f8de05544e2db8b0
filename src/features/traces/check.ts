import { type Sql, sql } from '../../sql/port.ts'
import {
  allRows,
  asNumber,
  ask,
  asText,
  asTime,
  columns,
  field,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { type CurrentNote, NOTE_KINDS, currentNotes } from '../../ledger/events/source_notes.ts'
import { type Family, gauge, gauges } from '../../ledger/world/tally.ts'

export const CHECKS: readonly Check[] = [
  { name: 'trace_spans', run: checkSpans },
  { name: 'kept_spans', deep: true, run: checkKeptSpans },
]

/** What became of the spans that were remembered, where there were some: a sender that cuts traces is no fault of the ledger. */
async function checkSpans(db: Sql): Promise<DoctorCheck[]> {
  const { kept, counted, notes } = await ask(
    db,
    together({
      notes: currentNotes(db),
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
  const noted = notes.slice(0, MOST_NOTED).map(noteCheck)
  if (n + late + forgotten === 0) return noted
  const waiting = since === null ? '' : `, the first since ${since}`
  const lost =
    late + forgotten === 0
      ? ''
      : `; ${late} calls came after their run was stored, and ${forgotten} spans were dropped before their run came: send whole traces (\`svc docs traces\`)`
  const waits = `${n} spans wait for runs that are not stored${waiting}${lost}`
  return [pass('trace_spans', waits), ...noted]
}

/** Most notes that are named; the metrics count all. */
const MOST_NOTED = 5

function noteCheck({ kind, text, release_id, environment, runs }: CurrentNote): DoctorCheck {
  const dropped = `recorders of ${release_id} in ${environment} dropped ${runs} runs within two hours: their logs say why`
  return { name: 'sources', ok: true, warning: true, detail: kind === 'dropped' ? dropped : text }
}

/** What sources send that isn't counted, by kind. */
export async function families({ sql: db }: { readonly sql: Sql }): Promise<readonly Family[]> {
  const { notes, dropped } = await ask(
    db,
    together({
      notes: currentNotes(db),
      dropped: onlyRow(
        sql`SELECT coalesce(sum(value), 0) AS value FROM counters WHERE name = 'runs_dropped'`,
        field('value', asNumber),
      ),
    }),
  )
  const counts = NOTE_KINDS.map(kind => [{ kind }, notes.filter(note => note.kind === kind).length] as const)
  return [
    gauges(
      'service_source_notes',
      'Data that sources of runs sent within two hours and that is not counted, by kind.',
      counts,
    ),
    gauge('service_runs_dropped', 'Runs that recorders reported as left out.', dropped),
  ]
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
