import { useEffect, useState } from 'preact/hooks'
import { csvCell } from '../../../base/text.ts'
import type { ActionPage, ActionRecord } from '../../../models/answers/action.ts'
import { callApi, save } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { Badge, ResultBadge, Reasons } from '../../components/badge.tsx'
import { PageHead } from '../../components/page.tsx'
import { Place, PlaceFilters, RELEASE_COLUMN } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/text.tsx'
import { count, counted, exactTime, zone } from '../../format.ts'
import { get } from '../../query.ts'
import { useActions, useDoctor } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { ActionDrawer, sha256 } from './drawer.tsx'
import { Choice, Filter } from '../../components/field.tsx'
import { recorded } from './recorded.ts'

const PAGE_SIZE = 100

/** Every attempt, passed or blocked, newest first. */
export function LedgerPage() {
  const after = param('after')
  const filters = useLedgerFilters()
  const isVerifying = param('verify') !== ''
  const actions = useActions({ ...filters, limit: PAGE_SIZE, after })
  const walk = useWalk(isVerifying)
  const isFiltered = Object.values(filters).some(value => value !== '')
  return (
    <>
      <PageHead
        title="Ledger"
        about="Every promotion and rollback, passed or blocked. Nothing here ever changes."
      >
        <ExportActions filters={filters} />
        <Verification walk={walk} isWanted={isVerifying} />
      </PageHead>
      <LedgerFilters actors={(actions.data?.actions ?? []).map(({ actor }) => actor)} />
      <Loaded known={actions} lines={10}>
        {({ actions: rows, next_after }) => (
          <>
            {rows.length === 0 ? (
              <Empty title={isFiltered ? 'No action is like that' : 'No actions yet'} />
            ) : (
              <Table
                caption="Actions"
                columns={columnsWith(walk.bad)}
                rows={rows}
                keyOf={action => action.action_id}
              />
            )}
            <nav class="paging" aria-label="Pages of the ledger">
              {after !== '' && <a href={hereWith({ after: null })}>Newest</a>}
              {next_after !== null && <a href={hereWith({ after: String(next_after) })}>Older</a>}
            </nav>
          </>
        )}
      </Loaded>
      {param('action') !== '' && (
        <ActionDrawer id={param('action')} onClose={() => change({ action: null })} />
      )}
    </>
  )
}

function columnsWith(bad: ReadonlySet<string>): Column<ActionRecord>[] {
  return [
    {
      label: '#',
      kind: 'number',
      cell: ({ audit_seq, action_id }) => (
        <>
          {audit_seq}
          {bad.has(action_id) && (
            <>
              {' '}
              <Badge tone="bad">not as hashed</Badge>
            </>
          )}
        </>
      ),
    },
    { label: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      label: 'Action',
      cell: ({ action, action_id }) => (
        <a href={hereWith({ action: action_id })}>{action === 'promote' ? 'Promotion' : 'Rollback'}</a>
      ),
    },
    {
      label: 'Verdict',
      cell: ({ result }) => <ResultBadge result={result} />,
    },
    {
      label: 'Agent',
      cell: entry => <Place place={entry} isMain={false} />,
    },
    RELEASE_COLUMN,
    { label: 'By', cell: ({ actor }) => actor },
    { label: 'Reason', kind: 'grow', cell: ({ reason }) => reason },
  ]
}

const VERDICTS = [
  ['', 'All'],
  ['passed', 'Passed'],
  ['blocked', 'Blocked'],
  ['forced', 'Forced'],
] as const

/** The filters of the address, as the API takes them. Days are those of the reader, and the last one counts whole. */
function useLedgerFilters(): Readonly<Record<string, string>> {
  const [from, to] = [param('from'), param('to')]
  return {
    agent: param('agent'),
    env: param('env'),
    actor: param('by'),
    verdict: chosenVerdict(),
    since: startOf(from, 0),
    until: startOf(to, 1),
  }
}

const chosenVerdict = () => VERDICTS.find(([name]) => name === param('verdict'))?.[0] ?? ''

/** The first moment of a day, or of one some days later; empty where the text is no day. */
function startOf(day: string, later: number): string {
  const [year, month, date] = day.split('-').map(Number)
  const start = new Date(year!, (month ?? 0) - 1, (date ?? Number.NaN) + later)
  return Number.isNaN(start.getTime()) ? '' : start.toISOString()
}

/** Which actions are listed and exported. */
function LedgerFilters({ actors }: { actors: readonly string[] }) {
  return (
    <div class="fields pickers">
      <PlaceFilters />
      <Filter
        label="By"
        value={param('by')}
        onChange={by => change({ by, after: null })}
        options={[...new Set(actors)]}
      />
      <Choice
        label="Verdict"
        value={chosenVerdict()}
        options={VERDICTS}
        onChange={verdict => change({ verdict, after: null })}
      />
      <Day label="From" name="from" />
      <Day label="To" name="to" />
    </div>
  )
}

function Day({ label, name }: { label: string; name: 'from' | 'to' }) {
  return (
    <label class="field">
      <span class="label">{label}</span>
      <input
        type="date"
        value={param(name)}
        onChange={event => change({ [name]: event.currentTarget.value, after: null })}
      />
    </label>
  )
}

/** Most actions of a file: they are gathered in the browser. The command line has no such bound. */
const MOST = 50_000

const COLUMNS = [
  'audit_seq',
  'created_at',
  'action',
  'result',
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
function ExportActions({ filters }: { filters: Readonly<Record<string, string>> }) {
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
  const { note, size } = await callApi<{ note: string; size: number }>(get('v1/audit/checkpoint'))
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

/** Some spreadsheets take a semicolon for the end of a cell. */
function cellOf(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join('; ')
    : value == null
      ? ''
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  return csvCell(text, /[",\r\n;]/)
}

type Entry = ActionPage['actions'][number]

/** How far the chain has been recomputed in this browser. */
interface Walk {
  readonly verified: number
  readonly all: number
  /** The first number that does not hold, or why the walk has ended. */
  readonly problem?: string
  readonly bad: ReadonlySet<string>
  /** Hash of the newest decision. */
  readonly head?: string
  readonly isDone: boolean
}

const NOTHING: Walk = { verified: 0, all: 0, bad: new Set(), isDone: false }

/** Recomputes all hashes here, from the newest to the first, so that nobody has to take the service's word for it. */
function useWalk(isWanted: boolean): Walk {
  const [walk, setWalk] = useState(NOTHING)
  useEffect(() => {
    if (!isWanted) return setWalk(NOTHING)
    const stop = new AbortController()
    void walkDown(known => {
      if (!stop.signal.aborted) setWalk(known)
      return stop.signal.aborted
    })
    return () => stop.abort()
  }, [isWanted])
  return walk
}

/** Rows that are read at a time: as many as the service gives. */
const PAGE = 500

async function walkDown(tell: (walk: Walk) => boolean): Promise<void> {
  const bad = new Set<string>()
  let [verified, all]: [number, number] = [0, 0]
  let head: string | undefined
  let newer: Entry | undefined
  const say = (isDone: boolean, problem?: string): boolean =>
    tell({
      verified,
      all,
      bad,
      isDone,
      ...(head === undefined ? {} : { head }),
      ...(problem === undefined ? {} : { problem }),
    })
  if (!isSecureContext) {
    say(true, 'a browser recomputes hashes over HTTPS only: use svc doctor --deep')
    return
  }
  try {
    for (let after: number | null | undefined; after !== null;) {
      const page: ActionPage = await callApi<ActionPage>(
        get('v1/actions', { limit: PAGE, evidence: 'true', after }),
      )
      for (const action of page.actions) {
        if (newer === undefined) [all, head] = [action.audit_seq, action.hash ?? undefined]
        if (!(await holds(action, newer))) bad.add(action.action_id)
        verified += 1
        newer = action
      }
      if (say(false)) return
      after = page.next_after
    }
    say(true, bad.size > 0 ? `${counted(bad.size, 'decision')} that do not hold` : undefined)
  } catch (error) {
    say(true, (error as Error).message)
  }
}

/** Whether a decision is what was hashed, and is the one that the next newer one names. */
async function holds(action: Entry, newer: Entry | undefined): Promise<boolean> {
  const { record_json, hash, audit_seq } = action
  if (newer !== undefined && newer.audit_seq !== audit_seq + 1) return false
  if (record_json == null || hash == null) return false
  if (newer?.record_json != null && recorded(newer).action.prev_hash !== hash) return false
  return recorded(action).forged.length === 0 && (await sha256(record_json)) === hash
}

/** What was verified, of how much: the whole chain in this browser, and what the service checks of itself. */
function Verification({ walk, isWanted }: { walk: Walk; isWanted: boolean }) {
  const { data, error, at } = useDoctor(isWanted)
  if (!isWanted) {
    return (
      <button type="button" class="button" onClick={() => change({ verify: 'all' })}>
        Verify the chain
      </button>
    )
  }
  const { verified, all, problem, isDone, head } = walk
  const failed = data?.checks.filter(check => !check.ok) ?? []
  const warnings = data?.checks.filter(check => check.ok && check.warning === true) ?? []
  return (
    <div class="chain" role="status">
      {!isDone && (
        <>
          <progress max={all || 1} value={verified} aria-label="Verified" /> {count(verified)} of{' '}
          {all === 0 ? '…' : count(all)} verified
        </>
      )}
      {isDone && problem === undefined && (
        <Badge tone="ok">chain holds: all {counted(verified, 'decision')} recomputed here</Badge>
      )}
      {problem !== undefined && (
        <Badge tone="bad">
          <bdi>
            {count(verified)} of {count(all)} verified: {problem}
          </bdi>
        </Badge>
      )}
      {error !== undefined && <Badge tone="warn">the service did not check itself: {error.message}</Badge>}
      {failed.map(({ name, detail }) => (
        <Badge key={name} tone="bad">
          <bdi>
            {name}: {detail}
          </bdi>
        </Badge>
      ))}
      <p class="hint figures">
        {[
          ...(data?.ok === true ? ['the service found nothing wrong with its tables'] : []),
          ...(head === undefined ? [] : [`head ${head.slice(0, 12)}`]),
          ...(at === undefined ? [] : [`${exactTime(at)} ${zone(at)}`]),
        ].join(', ')}
      </p>
      {warnings.length > 0 && (
        <details class="raw">
          <summary>{counted(warnings.length, 'warning')}: what was refused, and what will be</summary>
          <Reasons reasons={[]} warnings={warnings.map(({ detail }) => detail)} />
        </details>
      )}
    </div>
  )
}
