import { useState } from 'preact/hooks'
import type { ActionPage, ActionRecord } from '../../../models/answers/action.ts'
import type { AuditCheckpoint } from '../../../models/answers/checkpoint.ts'
import { callApi, save } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { Badge } from '../../components/badge.tsx'
import { counted } from '../../format.ts'
import { get } from '../../query.ts'

/** Most actions of a file: they are gathered in the browser. The command line has no such bound. */
const MOST = 50_000

const COLUMNS = [
  'audit_seq',
  'created_at',
  'action',
  'policy_passed',
  'forced',
  'agent_id',
  'environment',
  'release_id',
  'baseline_release_id',
  'actor',
  'reason',
  'policy_reasons',
  'action_id',
] as const satisfies readonly (keyof ActionRecord)[]

const FORMATS = {
  csv: { label: 'CSV', type: 'text/csv;charset=utf-8', write: toCsv },
  jsonl: { label: 'JSON lines', type: 'application/x-ndjson', write: toLines },
} as const
type FormatName = keyof typeof FORMATS

/** Downloads every action that the filters let through, whatever page is on show. */
export function ExportActions({ filters }: { filters: Readonly<Record<string, string>> }) {
  const [done, setDone] = useState('')
  const { problem, isSending, attempt } = useAttempt()
  async function run(name: FormatName): Promise<void> {
    setDone('')
    const { actions, isCut } = await allActions(filters)
    const { write, type } = FORMATS[name]
    save(new Blob([write(actions)], { type }), `ledger.${name}`)
    setDone(`${counted(actions.length, 'action')}${isCut ? ', the newest' : ''}`)
  }
  return (
    <span class="export" role="status">
      {(Object.keys(FORMATS) as FormatName[]).map(name => (
        <button
          key={name}
          type="button"
          class="button small"
          disabled={isSending}
          onClick={() => void attempt(() => run(name))}
        >
          Export {FORMATS[name].label}
        </button>
      ))}
      <button
        type="button"
        class="button small"
        title="The whole audit log by one hash: kept elsewhere, it proves that nothing was changed since"
        disabled={isSending}
        onClick={() => void attempt(saveCheckpoint)}
      >
        Checkpoint
      </button>
      <span class="faint">{done}</span>
      {problem !== '' && <Badge tone="bad">{problem}</Badge>}
    </span>
  )
}

async function saveCheckpoint(): Promise<void> {
  const { note, size } = await callApi<AuditCheckpoint>(get('v1/audit/checkpoint'))
  save(new Blob([note], { type: 'text/plain' }), `checkpoint-${size}.txt`)
}

async function allActions(
  filters: Readonly<Record<string, string>>,
): Promise<{ actions: ActionRecord[]; isCut: boolean }> {
  const actions: ActionRecord[] = []
  for (let after: number | null | undefined; after !== null && actions.length < MOST;) {
    const page: ActionPage = await callApi(get('v1/actions', { ...filters, limit: 500, after }))
    actions.push(...page.actions)
    after = page.next_after
    if (after === null) return { actions, isCut: false }
  }
  return { actions, isCut: true }
}

function toLines(actions: readonly ActionRecord[]): string {
  return actions.map(action => `${JSON.stringify(action)}\n`).join('')
}

/** RFC 4180, with the byte order mark by which spreadsheets know UTF-8. */
function toCsv(actions: readonly ActionRecord[]): string {
  const rows = actions.map(action => COLUMNS.map(name => cellOf(action[name])))
  return `\uFEFF${[COLUMNS, ...rows].map(row => `${row.join(',')}\r\n`).join('')}`
}

/** A cell that begins like a formula is text to a spreadsheet only behind an apostrophe. */
function cellOf(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join('; ')
    : value == null
      ? ''
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
