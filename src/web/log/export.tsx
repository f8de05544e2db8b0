import { useState } from 'preact/hooks'
import { csvField } from '../../base/text.ts'
import type { ActionPage } from '../../models/answers/action.ts'
import type { AuditPage } from '../../models/answers/audit.ts'
import { callApi, save } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Badge } from '../ui/badge.tsx'
import { counted } from '../format.ts'
import { type QueryParams, get } from '../query.ts'
import { Button } from '../ui/button.tsx'

/** Most entries of a file: they are gathered in the browser. The command line has no such bound. */
const MOST = 50_000

const FORMATS = {
  csv: { label: 'CSV', type: 'text/csv;charset=utf-8', write: toCsv },
  jsonl: { label: 'JSON lines', type: 'application/x-ndjson', write: toLines },
} as const
type FormatName = keyof typeof FORMATS

/** Downloads all that the filters let through, whatever page is on show. */
export function Export({ filters }: { filters: QueryParams }) {
  const [done, setDone] = useState('')
  const { problem, isSending, attempt } = useAttempt()
  async function run(name: FormatName): Promise<void> {
    setDone('')
    const { rows, isCut } = await allRows(filters)
    const { write, type } = FORMATS[name]
    save(new Blob([write(rows)], { type }), `log.${name}`)
    setDone(`${counted(rows.length, 'row')}${isCut ? ', the newest' : ''}`)
  }
  const button = (label: string, act: () => Promise<void>, title?: string) => (
    <Button kind="small" title={title} disabled={isSending} onClick={() => void attempt(act)}>
      {label}
    </Button>
  )
  return (
    <span class="export" role="status">
      {button('Export CSV', () => run('csv'))}
      {button('Export JSON lines', () => run('jsonl'))}
      {button(
        'Checkpoint',
        saveCheckpoint,
        'The whole audit log by one hash: kept elsewhere, it proves that nothing was changed since',
      )}
      <span class="faint">{done}</span>
      {problem !== '' && <Badge tone="bad">{problem}</Badge>}
    </span>
  )
}

async function saveCheckpoint(): Promise<void> {
  const { note, size } = await callApi<{ note: string; size: number }>(get('v1/audit/checkpoint'))
  save(new Blob([note], { type: 'text/plain' }), `checkpoint-${size}.txt`)
}

type AnyRow = Readonly<Record<string, unknown>>

/** Decisions with all that is known of them, or entries of the log. */
async function allRows({
  kind,
  verdict,
  ...filters
}: QueryParams): Promise<{ rows: AnyRow[]; isCut: boolean }> {
  const rows: AnyRow[] = []
  for (let after: number | null | undefined; after !== null && rows.length < MOST;) {
    const query = { ...filters, limit: 500, after }
    const page: ActionPage | AuditPage = await callApi(
      kind === 'decision' ? get('v1/actions', { ...query, verdict }) : get('v1/audit', { ...query, kind }),
    )
    rows.push(...('actions' in page ? page.actions : page.entries))
    after = page.next_after
    if (after === null) return { rows, isCut: false }
  }
  return { rows, isCut: true }
}

function toLines(rows: readonly AnyRow[]): string {
  return rows.map(row => `${JSON.stringify(row)}\n`).join('')
}

/** RFC 4180, with the byte order mark by which spreadsheets know UTF-8. */
function toCsv(rows: readonly AnyRow[]): string {
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const cells = rows.map(row => columns.map(name => cellOf(row[name])))
  return `\uFEFF${[columns, ...cells].map(row => `${row.join(',')}\r\n`).join('')}`
}

/** Some spreadsheets take a semicolon for the end of a cell. */
function cellOf(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)
  return csvField(text, /[",\r\n;]/)
}
