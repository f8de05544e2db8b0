import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import { Choice, Filter, Find } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { PageHead } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { counted } from '../../format.ts'
import { useEnvironments, useInOrder } from '../../environments.ts'
import { useBoard, useWatches } from '../../reads.ts'
import { change, href, param } from '../../route.ts'
import { outcomeOf } from '../webhooks/outcome.ts'
import { useAllDeliveries, useWebhooks } from '../webhooks/reads.ts'
import { whyNoChanges } from '../../access.ts'
import { FirstSteps } from './first_steps.tsx'
import { type Sorting, isBlocked, rowsOf } from './rows.ts'
import { BoardTable } from './table.tsx'

const SORTINGS = [
  ['attention', 'Attention'],
  ['name', 'Name'],
  ['newest', 'Newest'],
] as const satisfies readonly (readonly [Sorting, string])[]

/** What is live where, what could be next, and what waits for somebody. */
export function BoardPage() {
  const board = useBoard()
  return (
    <>
      <PageHead title="Board" about="What is live where, since when, and what could be next." />
      <FailingWebhooks />
      <Loaded known={board} lines={8}>
        {({ board: entries }) => (entries.length === 0 ? <FirstSteps /> : <Agents board={entries} />)}
      </Loaded>
    </>
  )
}

function Agents({ board }: { board: readonly BoardEntry[] }) {
  const sorting = SORTINGS.find(([name]) => name === param('sort'))?.[0] ?? 'attention'
  const [wanted, environment] = [param('find').toLowerCase(), param('env')]
  const onlyConcerning = param('only') === 'attention'
  const inOrder = useInOrder()
  const watches = useWatches({ state: 'regressed' }).data
  const entries = board.filter(entry => environment === '' || entry.environment === environment)
  // Not with every key of a search.
  const all = useMemo(
    () => rowsOf(entries, sorting, watches?.watches ?? []),
    [board, environment, sorting, watches],
  )
  const rows = all.filter(
    ({ agent, concerns }) => agent.toLowerCase().includes(wanted) && (!onlyConcerning || concerns.length > 0),
  )
  return (
    <>
      <div class="fields pickers">
        <Find label="Find" value={param('find')} onChange={find => change({ find }, { replace: true })} />
        <Filter
          label="Environment"
          value={environment}
          onChange={env => change({ env }, { replace: true })}
          options={useEnvironments()}
        />
        <Choice
          label="Sort by"
          value={sorting}
          options={SORTINGS}
          onChange={sort => change({ sort }, { replace: true })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={onlyConcerning}
            onChange={event =>
              change({ only: event.currentTarget.checked ? 'attention' : null }, { replace: true })
            }
          />
          Needs attention only
        </label>
      </div>
      <Summary entries={board} />
      {rows.length === 0 ? (
        <Empty title="No agent is like that">
          <p>
            <a href={href('board')}>Show all</a>
          </p>
        </Empty>
      ) : (
        <BoardTable rows={rows} environments={inOrder(entries.map(entry => entry.environment))} />
      )}
    </>
  )
}

function Summary({ entries }: { entries: readonly BoardEntry[] }) {
  const live = entries.filter(entry => entry.promoted !== null).length
  const blocked = entries.filter(({ last_action }) => isBlocked(last_action)).length
  const waiting = entries.reduce((total, entry) => total + entry.pending_requests, 0)
  return (
    <p class="summary">
      <span>{counted(live, 'live release')}</span>
      <span>{counted(blocked, 'last decision')} blocked</span>
      <span>{counted(waiting, 'request')} pending</span>
    </p>
  )
}

/** Whoever relies on being told should know where that fails. Webhooks are only shown to who may change things. */
function FailingWebhooks() {
  const isAsked = whyNoChanges.value === undefined
  const webhooks = useWebhooks(isAsked).data?.webhooks ?? []
  const deliveries = useAllDeliveries(isAsked).data?.deliveries ?? []
  const failing = webhooks.filter(
    ({ webhook_id, enabled }) => enabled && outcomeOf(webhook_id, deliveries).last?.status === 'failed',
  )
  const [first] = failing
  if (first === undefined) return null
  return (
    <Note>
      {counted(failing.length, 'webhook')} could not deliver the last time:{' '}
      <a href={failing.length === 1 ? href('webhooks', { webhook: first.webhook_id }) : href('webhooks')}>
        <bdi>{first.url}</bdi>
        {failing.length > 1 && ' and others'}
      </a>
    </Note>
  )
}
