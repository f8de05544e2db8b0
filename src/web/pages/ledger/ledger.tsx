import { useEffect, useState } from 'preact/hooks'
import type { ActionPage, ActionRecord } from '../../../models/answers/action.ts'
import { Badge, PassedBadge } from '../../components/badge.tsx'
import { PageHead } from '../../components/page.tsx'
import { Place, RELEASE_COLUMN, PlaceFilters } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/text.tsx'
import { useActions, useDoctor } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { ActionDrawer } from './drawer.tsx'
import { ExportActions } from './export.tsx'
import { sha256 } from './drawer.tsx'
import { recorded } from './recorded.ts'
import { exactTime, zone } from '../../format.ts'
import { Choice, Filter } from '../../components/field.tsx'

const PAGE_SIZE = 100

/** Every attempt, passed or blocked, newest first. */
export function LedgerPage() {
  const after = param('after')
  const filters = useLedgerFilters()
  const [isVerifying, setVerifying] = useState(false)
  // To be verified, rows come with the records that were hashed.
  const actions = useActions({
    ...filters,
    limit: PAGE_SIZE,
    after,
    ...(isVerifying ? { evidence: 'true' } : {}),
  })
  const bad = useBadRows(isVerifying ? actions.data?.actions : undefined)
  const isFiltered = Object.values(filters).some(value => value !== '')
  return (
    <>
      <PageHead
        title="Ledger"
        about="Every promotion and rollback that was asked for. Nothing here ever changes."
      >
        <ExportActions filters={filters} />
        <ChainStatus
          isWanted={isVerifying}
          onAsk={() => setVerifying(true)}
          head={isFiltered || after !== '' ? undefined : (actions.data?.actions[0]?.hash ?? undefined)}
        />
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
                columns={columnsWith(bad)}
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

type Entry = ActionPage['actions'][number]

/** The actions of a page whose columns or hash are not what their record says; of what came with its records. */
function useBadRows(actions: readonly Entry[] | undefined): ReadonlySet<string> {
  const [bad, setBad] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    let isWanted = true
    void badRows(actions ?? []).then(found => isWanted && setBad(found))
    return () => {
      isWanted = false
    }
  }, [actions])
  return bad
}

async function badRows(actions: readonly Entry[]): Promise<ReadonlySet<string>> {
  const bad = new Set<string>()
  for (const action of actions) {
    const { record_json, hash } = action
    if (record_json == null) continue
    const own = await sha256(record_json)
    if (recorded(action).forged.length > 0 || (own !== undefined && own !== hash)) bad.add(action.action_id)
  }
  return bad
}

/** Verifies every link of the chain on demand: that reads the whole ledger. */
function ChainStatus({
  isWanted,
  onAsk,
  head,
}: {
  isWanted: boolean
  onAsk: () => void
  /** Hash of the newest action, where it is on show. */
  head: string | undefined
}) {
  const { data, error, loading, at } = useDoctor(isWanted)
  if (!isWanted) {
    return (
      <button type="button" class="button" onClick={onAsk}>
        Verify the chain
      </button>
    )
  }
  const failed = data?.checks.filter(check => !check.ok) ?? []
  const chain = data?.checks.find(({ name }) => name.startsWith('audit_chain'))
  return (
    <div class="chain" role="status">
      {loading && data === undefined && 'Verifying…'}
      {error !== undefined && <Badge tone="warn">not verified: {error.message}</Badge>}
      {data?.ok === true && <Badge tone="ok">chain holds, all checks passed</Badge>}
      {failed.map(({ name, detail }) => (
        <Badge key={name} tone="bad">
          <bdi>
            {name}: {detail}
          </bdi>
        </Badge>
      ))}
      {data !== undefined && at !== undefined && (
        <p class="hint figures">
          {chain?.ok === true && `${chain.detail}, `}
          {head !== undefined && (
            <>
              head <code title={head}>{head.slice(0, 12)}</code>,{' '}
            </>
          )}
          at {exactTime(at)} {zone(at)}
        </p>
      )}
    </div>
  )
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
