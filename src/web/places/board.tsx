import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { BoardEntry } from '../../models/answers/board.ts'
import { FindHere, Select } from '../ui/field.tsx'
import { FailingWebhooks } from '../settings/deliveries.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { Words } from '../ui/text.tsx'
import { Icon } from '../ui/icon.tsx'
import { useEnvironments, useInOrder } from '../environments.ts'
import { ago, count, counted, exactTime } from '../format.ts'
import { get, isPaused, readAhead } from '../query.ts'
import { useBoard } from '../reads.ts'
import { change, href, param } from '../route.ts'
import { Behind } from './behind.tsx'
import { placeLink } from './comparison.ts'
import { FirstSteps } from './first_steps.tsx'
import { type Needed, neededOf, orderOf } from './concerns.ts'
import { STATE_WORDS } from '../../rules/place.ts'
import { STATE_ICONS, STATE_TONES } from './state.ts'

/** What needs somebody, with the reason, and what is live where. */
export function BoardPage() {
  const board = useBoard()
  const [opened] = useState(() => Date.now())
  // What was read before may be old: what is read first, within a second, decides the order.
  const isFresh = (board.at ?? 0) >= opened - 1000
  return (
    <>
      <Loaded known={board} lines={12}>
        {({ board: entries }) => (
          <>
            <Head entries={entries} />
            {entries.every(({ promoted }) => promoted === null) && <FirstSteps board={entries} />}
            {entries.length > 0 && (
              <>
                <NeedsSomebody key={`${isFresh}`} entries={entries} />
                <AllAgents entries={entries} />
              </>
            )}
          </>
        )}
      </Loaded>
      <Behind />
      <FailingWebhooks />
    </>
  )
}

function Head({ entries }: { entries: readonly BoardEntry[] }) {
  useEvaluations(entries)
  const agents = new Set(entries.map(({ agent_id }) => agent_id)).size
  const live = entries.filter(({ promoted }) => promoted !== null).length
  const inState = (state: BoardEntry['place']['state']): number =>
    entries.filter(({ place }) => place.state === state).length
  const [rollouts, watches, frozen] = [inState('rolling_out'), inState('watched'), inState('frozen')]
  return (
    <header class="page-head board-head">
      <h1>Board</h1>
      <p class="figures">
        {[
          counted(agents, 'agent'),
          `${live} live`,
          ...(rollouts > 0 ? [counted(rollouts, 'rollout')] : []),
          ...(watches > 0 ? [`${watches} watched`] : []),
          ...(frozen > 0 ? [`${frozen} frozen`] : []),
        ].join(' · ')}
      </p>
    </header>
  )
}

/** How soon a board with places that nobody has evaluated yet is read again, ms: each read evaluates some. */
const EVALUATED_MS = 2000

function useEvaluations(board: readonly BoardEntry[]): void {
  const isDue = board.some(({ place }) => place.state === null || place.outdated === true)
  useEffect(() => {
    if (!isDue) return undefined
    const timer = setInterval(() => {
      if (!document.hidden && !isPaused.value) readAhead(get('v1/board'))
    }, EVALUATED_MS)
    return () => clearInterval(timer)
  }, [isDue])
}

/** Places somebody has to see to, the most harmful first: one reason in words and one verb a row. */
function NeedsSomebody({ entries }: { entries: readonly BoardEntry[] }) {
  const { needed, waiting } = neededOf(entries)
  const found = new Map(needed.map(one => [keyOf(one), one]))
  const { order, changed, sortAgain } = useStillOrder([...found.keys()])
  const shown = order.flatMap(key => found.get(key) ?? [])
  return (
    <section class="section needs" aria-label="Needs somebody">
      <header>
        <h2>
          Needs somebody <span class="faint figures">{shown.length}</span>
        </h2>
        <SortAgain changed={changed} onSort={sortAgain} />
      </header>
      {shown.length === 0 ? (
        <p class="faint">All is well.</p>
      ) : (
        <Needs concerns={shown.slice(0, FIRST_NEEDS)} />
      )}
      <Folded concerns={shown.slice(FIRST_NEEDS)} summary={`${count(shown.length - FIRST_NEEDS)} more`} />
      <Folded concerns={waiting} summary={`${counted(waiting.length, 'candidate')} without enough runs`} />
    </section>
  )
}

const keyOf = ({ entry: { agent_id, environment }, word }: Needed): string =>
  JSON.stringify([agent_id, environment, word])

/** So many are on show at once, so that what is live where is not far below. */
const FIRST_NEEDS = 12

function Needs({ concerns }: { concerns: readonly Needed[] }) {
  return (
    <ul>
      {concerns.map(one => (
        <Need key={keyOf(one)} concern={one} />
      ))}
    </ul>
  )
}

/** Rows that are drawn when somebody opens them. */
function Folded({ concerns, summary }: { concerns: readonly Needed[]; summary: string }) {
  const [isOpen, setOpen] = useState(false)
  if (concerns.length === 0) return null
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && <Needs concerns={concerns} />}
    </details>
  )
}

function Need({ concern: { entry, icon, tone, word, reason, verb, link } }: { concern: Needed }) {
  return (
    <li class={tone} onKeyDown={goToNext}>
      <span class="need-state">
        <Icon name={icon} size={14} />
        {word}
      </span>
      <a class="need-place" href={placeLink(entry)}>
        <Words clip>{entry.agent_id}</Words>
        <span class="faint"> · </span>
        <Words>{entry.environment}</Words>
      </a>
      <span class="need-reason">
        <Words>{reason}</Words>
      </span>
      <a class="need-verb" href={link} aria-label={`${verb}: ${entry.agent_id}, ${entry.environment}`}>
        {verb}
      </a>
    </li>
  )
}

/** Every agent with what is live in each environment, and what is next in one of them. */
function AllAgents({ entries }: { entries: readonly BoardEntry[] }) {
  const inOrder = useInOrder()(entries.map(entry => entry.environment))
  // The same list as long as it says the same: a row is drawn again when something of it changes.
  const environments = useMemo(() => inOrder, [inOrder.join('\0')])
  const all = useEnvironments()
  const nearest = environments.at(-1) ?? ''
  const chosen = all.includes(param('env')) ? param('env') : nearest
  const wanted = param('find').toLowerCase()
  const agents = useMemo(() => Map.groupBy(entries, ({ agent_id }) => agent_id), [entries])
  const { order, changed, sortAgain } = useStillOrder(orderOf(entries, chosen), chosen)
  const shown = order.filter(agent => agents.has(agent) && agent.toLowerCase().includes(wanted))
  return (
    <section class="section" aria-label="All agents">
      <header>
        <h2>
          All agents <span class="faint figures">{agents.size}</span>
        </h2>
        <div class="fields">
          <SortAgain changed={changed} onSort={sortAgain} />
          <Select
            label="Next in"
            value={chosen}
            options={all}
            onChange={env => change({ env }, { replace: true })}
          />
          <FindHere />
        </div>
      </header>
      {shown.length === 0 ? (
        <Empty title="No agent is like that">
          <p>
            <a href={href('board')}>Show all</a>
          </p>
        </Empty>
      ) : (
        <div class="board" role="table" aria-label="Agents" style={{ '--columns': `${environments.length}` }}>
          <div role="row" class="board-row board-names">
            <span role="columnheader">Agent</span>
            {environments.map(name => (
              <span key={name} role="columnheader">
                <Words>{name}</Words>
              </span>
            ))}
            <span role="columnheader">
              next in <Words>{chosen}</Words>
            </span>
          </div>
          {shown.map(agent => (
            <Row
              key={agent}
              agent={agent}
              entries={agents.get(agent)!}
              environments={environments}
              chosen={chosen}
            />
          ))}
        </div>
      )}
    </section>
  )
}

function SortAgain({ changed, onSort }: { changed: number; onSort: () => void }) {
  if (changed === 0) return null
  return (
    <button type="button" class="link" onClick={onSort}>
      {changed} changed · sort again
    </button>
  )
}

/** The order in which rows were first seen; what has changed since is sorted in when the reader says so. */
function useStillOrder(
  sorted: readonly string[],
  chosen = '',
): { order: readonly string[]; changed: number; sortAgain: () => void } {
  const kept = useRef<{ chosen: string; order: readonly string[] } | undefined>(undefined)
  const [, draw] = useState(0)
  if (kept.current?.chosen !== chosen) kept.current = { chosen, order: sorted }
  const known = new Set(kept.current.order)
  const order = [...kept.current.order, ...sorted.filter(row => !known.has(row))]
  kept.current = { chosen, order }
  const there = new Set(sorted)
  const still = order.filter(row => there.has(row))
  return {
    order,
    changed: still.filter((row, index) => sorted[index] !== row).length,
    sortAgain: () => {
      kept.current = undefined
      draw(times => times + 1)
    },
  }
}

function Row({
  agent,
  entries,
  environments,
  chosen,
}: {
  agent: string
  entries: readonly BoardEntry[]
  environments: readonly string[]
  chosen: string
}) {
  const isFresh = useFresh(
    JSON.stringify(entries.map(({ promoted, last_action }) => [promoted, last_action])),
  )
  const of = (name: string): BoardEntry | undefined => entries.find(({ environment }) => environment === name)
  const next = of(chosen)
  const main = next ?? entries.at(-1)!
  return (
    <div role="row" class={`board-row ${isFresh ? 'fresh' : ''}`} onKeyDown={goToNext}>
      <span role="rowheader" class="board-agent">
        <a href={placeLink(main)}>
          <Words>{agent}</Words>
        </a>
      </span>
      {environments.map(name => (
        <span key={name} role="cell" data-label={name} class={of(name)?.promoted == null ? 'absent' : ''}>
          <Live entry={of(name)} />
        </span>
      ))}
      <span role="cell" class="board-next">
        {next !== undefined && <Next entry={next} />}
      </span>
    </div>
  )
}

function Live({ entry }: { entry: BoardEntry | undefined }) {
  if (entry?.promoted == null) return null
  const { version, release_id, promoted_at, promoted_by, reason } = entry.promoted
  const isFrozen = entry.place.state === 'frozen'
  return (
    <a href={placeLink(entry)} title={`${promoted_by ?? ''}: ${reason ?? ''}`}>
      <Words>{version ?? release_id}</Words>{' '}
      {promoted_at !== null && (
        <time class="faint" dateTime={promoted_at} title={exactTime(promoted_at)}>
          {ago(Date.parse(promoted_at), Date.now())}
        </time>
      )}
      {isFrozen && (
        <span title={entry.place.headline}>
          {' '}
          <Icon name="lock" size={14} />
          <span class="hidden">frozen</span>
        </span>
      )}
    </a>
  )
}

/** What could be next and whether it may be; nothing where all is quiet. */
function Next({ entry }: { entry: BoardEntry }) {
  const { state, headline, outdated } = entry.place
  const text = shortText(entry)
  if (text === '') return null
  const late = outdated === true ? '\nRules, prices or releases changed since.' : ''
  return (
    <a
      class={`board-state ${state === null ? 'plain' : STATE_TONES[state]}`}
      href={placeLink(entry)}
      title={headline + late}
    >
      {state !== null && <Icon name={STATE_ICONS[state]} size={14} />}
      <Words>{text}</Words>
    </a>
  )
}

/** States whose whole sentence is short. */
const SENTENCES: readonly BoardEntry['place']['state'][] = ['rolling_out', 'watched']

/** What the answer of a place says, in few words; nothing where it is quiet. */
function shortText({ promoted, place: { state, headline, candidate } }: BoardEntry): string {
  if (state === 'quiet' || state === 'frozen') return ''
  if (state === null) return 'not evaluated yet'
  if (SENTENCES.includes(state)) return headline
  const version = state === 'worse' ? promoted?.version : candidate?.version
  return [version, STATE_WORDS[state]].filter(Boolean).join(' ')
}

/** Up and down go from row to row. */
function goToNext(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const
  const way = step[event.key as keyof typeof step]
  if (way === undefined) return
  const next = event.currentTarget[way]?.querySelector<HTMLElement>('a')
  if (next == null) return
  event.preventDefault()
  next.focus()
}

/** How long what has changed is marked, ms. */
const FRESH_MS = 2000

/** Whether a value has changed a moment ago, while it was on show. */
function useFresh(value: string): boolean {
  const before = useRef(value)
  const [isFresh, setFresh] = useState(false)
  useEffect(() => {
    if (before.current === value) return undefined
    before.current = value
    setFresh(true)
    const timer = setTimeout(() => setFresh(false), FRESH_MS)
    return () => clearTimeout(timer)
  }, [value])
  return isFresh
}
