import type { BoardEntry } from '../../../models/answers/board.ts'
import { Badge } from '../../components/badge.tsx'
import { Find } from '../../components/field.tsx'
import { PageHead } from '../../components/page.tsx'
import { Place } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { CopyButton, Id, Time, Words } from '../../components/text.tsx'
import { PromoteButton, RollbackButton } from '../../decide/buttons.tsx'
import { counted } from '../../format.ts'
import { useBoard } from '../../reads.ts'
import { change, href, param } from '../../route.ts'

/** What is live where, since when, by whom and why; what was decided last; what waits. */
export function BoardPage() {
  const board = useBoard()
  const wanted = param('find').toLowerCase()
  return (
    <>
      <PageHead title="Board" about="What is live where, since when, and why.">
        <Find label="Find" value={param('find')} onChange={find => change({ find }, { replace: true })} />
      </PageHead>
      <Loaded known={board} lines={8}>
        {({ board: entries }) => {
          if (entries.length === 0) return <FirstSteps />
          const shown = entries.filter(({ agent_id, environment }) =>
            `${agent_id} ${environment}`.toLowerCase().includes(wanted),
          )
          return shown.length === 0 ? (
            <Empty title="No agent or environment has that in its name" />
          ) : (
            <>
              <Summary entries={entries} />
              <Table
                caption="Agents by environment"
                isPure
                columns={COLUMNS}
                rows={shown}
                keyOf={({ agent_id, environment }) => JSON.stringify([agent_id, environment])}
              />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function Summary({ entries }: { entries: readonly BoardEntry[] }) {
  const live = entries.filter(entry => entry.promoted !== null).length
  const blocked = entries.filter(entry => entry.last_action?.policy_passed === false).length
  const waiting = entries.reduce((total, entry) => total + entry.pending_requests, 0)
  return (
    <p class="summary">
      <span>{counted(live, 'live release')}</span>
      <span>{counted(blocked, 'last decision')} blocked</span>
      <span>{counted(waiting, 'request')} pending</span>
    </p>
  )
}

const COLUMNS: readonly Column<BoardEntry>[] = [
  {
    label: 'Agent',
    cell: entry => <Place place={entry} isMain />,
  },
  { label: 'Live', kind: 'grow', cell: entry => <Live entry={entry} /> },
  { label: 'Last decision', cell: entry => <LastDecision entry={entry} /> },
  { label: 'Next', cell: entry => <Next entry={entry} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: ({ agent_id, environment, promoted }) =>
      promoted === null ? (
        <PromoteButton agent={agent_id} environment={environment} small />
      ) : (
        <RollbackButton agent={agent_id} environment={environment} small />
      ),
  },
]

function Live({ entry: { promoted } }: { entry: BoardEntry }) {
  if (promoted === null) return <span class="faint">nothing promoted yet</span>
  const { release_id, version, promoted_at, promoted_by, reason } = promoted
  return (
    <div class="stack">
      <span>
        <strong class="version">
          <Words>{version ?? 'not registered'}</Words>
        </strong>{' '}
        <Id value={release_id} link={href('release', { id: release_id })} />
      </span>
      {promoted_at !== null && (
        <span class="faint">
          <Time at={promoted_at} /> by <Words>{promoted_by}</Words>: <Words>{reason}</Words>
        </span>
      )}
    </div>
  )
}

function LastDecision({ entry: { last_action } }: { entry: BoardEntry }) {
  if (last_action === null) return <span class="faint">none</span>
  const { action, policy_passed, policy_reasons, action_id, created_at, forced = false } = last_action
  const words = `${action === 'promote' ? 'Promotion' : 'Rollback'} ${forced ? 'forced' : policy_passed ? 'passed' : 'blocked'}`
  return (
    <div class="stack">
      <a href={href('ledger', { action: action_id })}>
        <Badge tone={policy_passed ? 'ok' : 'bad'}>{words}</Badge>
      </a>
      <span class="faint">
        <Time at={created_at} />
        {!policy_passed && `, ${counted(policy_reasons.length, 'reason')}`}
      </span>
    </div>
  )
}

/** What could be looked at next: a request that waits, or a release that is newer than the live one. */
function Next({ entry }: { entry: BoardEntry }) {
  const { agent_id, environment, promoted, newest_release, pending_requests } = entry
  const isNewer = newest_release !== null && newest_release.release_id !== promoted?.release_id
  return (
    <div class="stack">
      {pending_requests > 0 && (
        <a href={href('approvals', { agent: agent_id })}>
          <Badge tone="warn" icon="waiting">
            {counted(pending_requests, 'request')} pending
          </Badge>
        </a>
      )}
      {isNewer && promoted !== null && (
        <a
          href={href('diff', {
            agent: agent_id,
            env: environment,
            baseline: promoted.release_id,
            candidate: newest_release.release_id,
          })}
        >
          Diff with <bdi>{newest_release.version}</bdi>
        </a>
      )}
      {isNewer && (
        <span class="faint">
          registered <Time at={newest_release.created_at} />
        </span>
      )}
      {!isNewer && pending_requests === 0 && <span class="faint">the newest is live</span>}
    </div>
  )
}

const FIRST_COMMANDS = [
  ['Import the prices of your models', 'svc pricing import prices.yaml'],
  ['Register a release', 'svc release register ./my-agent --env prod'],
  ['Promote it', 'svc release promote RELEASE_ID --env prod --window 7d --reason "first release"'],
] as const

function FirstSteps() {
  return (
    <Empty title="No releases yet">
      <p>Three commands, in the folder of service.yaml:</p>
      <ol class="steps">
        {FIRST_COMMANDS.map(([what, command]) => (
          <li key={command}>
            {what}
            <span class="command">
              <code>{command}</code>
              <CopyButton text={command} what="the command" />
            </span>
          </li>
        ))}
      </ol>
      <p class="faint">
        Then send run events to <code>POST v1/events</code>; <a href="docs">the API documentation</a> says
        how. <code>svc demo</code> shows the whole loop.
      </p>
    </Empty>
  )
}
