import type { ActionRecord } from '../../../models/answers/action.ts'
import { Badge, PassedBadge } from '../../components/badge.tsx'
import { PageHead } from '../../components/page.tsx'
import { Place, RELEASE_COLUMN, PlaceFilters } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/text.tsx'
import { useActions } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { ActionDrawer } from './drawer.tsx'
import { ExportActions } from './export.tsx'
import { Verification, useWalk } from './verify.tsx'
import { Choice, Filter } from '../../components/field.tsx'

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
      cell: ({ policy_passed, forced }) => <PassedBadge passed={policy_passed} forced={forced} />,
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
