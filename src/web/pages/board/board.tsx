import type { TargetedFocusEvent, TargetedKeyboardEvent } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import { Choice, Filter, FindHere } from '../../components/field.tsx'
import { PageHead } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { counted } from '../../format.ts'
import { useEnvironments, useInOrder } from '../../environments.ts'
import { Panel, useConcerns } from '../../components/panels.tsx'
import { get, isPaused, readAhead } from '../../query.ts'
import { useBoard } from '../../reads.ts'
import { change, hereWith, href, param } from '../../route.ts'
import { useSignal } from '../../signal.ts'
import { type AgentRow, type Sorting, keptRows, needsSomebody, rowsOf } from './rows.ts'
import { Words } from '../../components/text.tsx'
import { Icon } from '../../components/icon.tsx'
import { Details, Line } from './cell.tsx'
import { FirstSteps } from './first_steps.tsx'

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
      <Panel slot="board" />
      <Loaded known={board} lines={8}>
        {({ board: entries }) => (
          <>
            {entries.every(({ promoted }) => promoted === null) && <FirstSteps board={entries} />}
            {entries.length > 0 && <Agents board={entries} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function Agents({ board }: { board: readonly BoardEntry[] }) {
  const sorting = SORTINGS.find(([name]) => name === param('sort'))?.[0] ?? 'attention'
  const [wanted, environment] = [param('find').toLowerCase(), param('env')]
  const onlyConcerning = param('only') === 'attention'
  useLooks(board)
  const inOrder = useInOrder()
  const concerns = useConcerns()
  const known = useRef<readonly AgentRow[]>([])
  const entries = useMemo(
    () => board.filter(entry => environment === '' || entry.environment === environment),
    [board, environment],
  )
  const all = useMemo(
    () => (known.current = keptRows(known.current, rowsOf(entries, sorting, concerns))),
    [entries, sorting, ...concerns],
  )
  const rows = useStill(all, sorting).filter(
    row => row.agent.toLowerCase().includes(wanted) && (!onlyConcerning || row.urgency > 0),
  )
  const environments = inOrder(entries.map(entry => entry.environment))
  const columns = useMemo(() => environments, environments)
  return (
    <>
      <div class="fields pickers">
        <FindHere />
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
        <BoardTable rows={rows} environments={columns} />
      )}
    </>
  )
}

/** How soon a board with places that nobody has looked at yet is read again, ms: each read looks at some. */
const LOOKED_AT_MS = 2000

function useLooks(board: readonly BoardEntry[]): void {
  const isDue = board.some(({ place }) => place.state === null || place.outdated === true)
  useEffect(() => {
    if (!isDue) return undefined
    const timer = setInterval(() => {
      if (!document.hidden && !isPaused.value) readAhead(get('v1/board'))
    }, LOOKED_AT_MS)
    return () => clearInterval(timer)
  }, [isDue])
}

/** Rows keep their places while the pointer or the focus is on one: what is about to be clicked must not move away. */
function useStill(rows: readonly AgentRow[], sorting: Sorting): readonly AgentRow[] {
  const before = useRef<{ sorting: Sorting; order: ReadonlyMap<string, number> } | undefined>(undefined)
  const isInUse = document.querySelector('.board tbody:is(:hover, :focus-within)') !== null
  if (isInUse && before.current?.sorting === sorting) {
    const { order } = before.current
    const placeOf = ({ agent }: AgentRow): number => order.get(agent) ?? Number.POSITIVE_INFINITY
    return rows.toSorted((a, b) => placeOf(a) - placeOf(b) || 0)
  }
  before.current = { sorting, order: new Map(rows.map(({ agent }, index) => [agent, index])) }
  return rows
}

function Summary({ entries }: { entries: readonly BoardEntry[] }) {
  const live = entries.filter(entry => entry.promoted !== null).length
  const count = (state: BoardEntry['place']['state']): number =>
    entries.filter(({ place }) => place.state === state).length
  const waiting = entries.reduce((total, entry) => total + entry.pending_requests, 0)
  return (
    <p class="summary">
      <span>{counted(live, 'live release')}</span>
      <span>{counted(count('blocked'), 'release')} blocked</span>
      <span>{counted(count('rolling_out'), 'rollout')}</span>
      <span>{count('watched')} watched</span>
      <span>{counted(waiting, 'request')} pending</span>
    </p>
  )
}

/** Height of a row that has not been seen yet, px. */
const LIKELY_PX = 44
/** So many agents are open from the start: there is room. */
const FEW = 3

/** A row per agent, a column per environment; rows that are far from the view are not on the page. */
function BoardTable({ rows, environments }: { rows: readonly AgentRow[]; environments: readonly string[] }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback((agent: string) => {
    setToggled(known => {
      const others = [...known].filter(one => one !== agent)
      return new Set(known.has(agent) ? others : [...others, agent])
    })
  }, [])
  const { first, end, before, after, place } = useVisibleRows(rows.length, LIKELY_PX)
  const near = rows.slice(first, end)
  const isDrawn = useInSteps(near.map(({ agent }) => agent))
  return (
    <table class="table board" role="table" aria-rowcount={rows.length + 1}>
      <caption class="hidden">Agents by environment</caption>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          <th role="columnheader" scope="col">
            Agent
          </th>
          {environments.map(name => (
            <th key={name} role="columnheader" scope="col">
              <Words>{name}</Words>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={place}>
        <Room height={before} />
        {near.map((row, index) =>
          isDrawn(row.agent) ? (
            <Row
              key={row.agent}
              row={row}
              number={first + index}
              environments={environments}
              isOpen={rows.length <= FEW !== toggled.has(row.agent)}
              onToggle={toggle}
            />
          ) : (
            <Room key={row.agent} height={LIKELY_PX} />
          ),
        )}
        <Room height={after} />
      </tbody>
    </table>
  )
}

/** Rows that come onto the page in one task, so that a slow machine answers keys and the wheel in between. */
const STEP = 8

/** Which of these are drawn: those that were, and a few more each time. */
function useInSteps(names: readonly string[]): (name: string) => boolean {
  const before = useRef<ReadonlySet<string>>(new Set())
  const [, drawMore] = useState(0)
  const more = names.filter(name => !before.current.has(name))
  const left = new Set(more.slice(STEP))
  useLayoutEffect(() => {
    before.current = new Set(names.filter(name => !left.has(name)))
  })
  useEffect(() => {
    if (left.size === 0) return undefined
    const timer = setTimeout(() => drawMore(times => times + 1))
    return () => clearTimeout(timer)
  })
  return name => !left.has(name)
}

/** One agent. It is drawn again when it changes, not when others scroll into view. */
function Row({
  row: { agent, places, urgency },
  number,
  environments,
  isOpen,
  onToggle,
}: {
  row: AgentRow
  number: number
  environments: readonly string[]
  isOpen: boolean
  onToggle: (agent: string) => void
}) {
  const isFresh = useFresh(JSON.stringify([...places.values()].map(({ entry }) => entry)))
  const { isUsed, listeners } = useInUse()
  return (
    <tr
      role="row"
      class={isFresh ? 'fresh' : ''}
      aria-rowindex={number + 2}
      data-row={number}
      {...listeners}
      onKeyDown={event => goToNext(event, number)}
    >
      <th role="rowheader" scope="row">
        <button
          type="button"
          class="copy"
          aria-expanded={isOpen}
          aria-label={`Details of ${agent}`}
          onClick={() => onToggle(agent)}
        >
          <Icon name="right" size={14} />
        </button>
        <a href={hereWith({ find: agent })}>
          <Words clip={!isOpen}>{agent}</Words>
        </a>
        {isOpen && urgency > 0 && <span class="concerns">{concernsOf(places).join(', ')}</span>}
      </th>
      {environments.map(name => {
        const place = places.get(name)
        return (
          <td key={name} role="cell" data-label={name} class={place === undefined ? 'absent' : ''}>
            {place === undefined ? (
              <span class="faint">no release</span>
            ) : isOpen ? (
              <Details place={place} />
            ) : (
              <Line place={place} isUsed={isUsed} />
            )}
          </td>
        )
      })}
    </tr>
  )
}

/** How long the pointer has to be on a row, ms: rows that are scrolled past it draw nothing. */
const REST_MS = 60

/** Whether the pointer or the focus is on a row. A dialog that was opened from it gives the focus back. */
function useInUse() {
  const isUsed = useSignal(false)
  const by = useRef({ pointer: false, focus: false })
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const set = (changed: Partial<typeof by.current>): void => {
    const { pointer, focus } = Object.assign(by.current, changed)
    isUsed.value = pointer || focus
  }
  return {
    isUsed,
    listeners: {
      onPointerEnter: () => {
        rest.current = setTimeout(() => set({ pointer: true }), REST_MS)
      },
      onPointerLeave: () => {
        clearTimeout(rest.current)
        set({ pointer: false })
      },
      onFocusIn: () => set({ focus: true }),
      onFocusOut: ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>) => {
        const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
        if (!stays && document.querySelector('dialog[open]') === null) set({ focus: false })
      },
    },
  }
}

/** Up and down go from agent to agent. */
function goToNext(event: TargetedKeyboardEvent<HTMLElement>, number: number): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const next = event.currentTarget.parentElement?.querySelector<HTMLElement>(
    `[data-row="${number + step}"] button`,
  )
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

const concernsOf = (places: AgentRow['places']): string[] => [
  ...new Set(
    [...places.values()].flatMap(({ concerns }) => concerns.filter(needsSomebody).map(({ words }) => words)),
  ),
]

/** The room of rows that are not on the page. */
function Room({ height }: { height: number }) {
  return height === 0 ? null : <tr aria-hidden="true" class="room" style={{ height: `${height}px` }} />
}

/** Rows above and below the view that are on the page too, so that scrolling shows no gap. */
const SPARE = 6

/** Which rows are on the page, and how much room those that are not take, px. */
interface Visible {
  readonly first: number
  readonly end: number
  readonly before: number
  readonly after: number
  /** To be set on the element that holds the rows, each with its number as `data-row`. */
  readonly place: { current: HTMLTableSectionElement | null }
}

/** Keeps only the rows on the page that are near the view; heights are measured as rows are seen. */
function useVisibleRows(count: number, likelyHeight: number): Visible {
  const place = useRef<HTMLTableSectionElement>(null)
  const heights = useRef(new Map<number, number>())
  const [range, setRange] = useState({ first: 0, end: Math.min(count, 24) })
  const heightOf = (row: number): number => heights.current.get(row) ?? likelyHeight

  function look(): void {
    const top = place.current === null ? 0 : -place.current.getBoundingClientRect().top
    let [row, y] = [0, 0]
    while (row < count && y + heightOf(row) < top) y += heightOf(row++)
    const first = Math.max(0, row - SPARE)
    while (row < count && y < top + innerHeight) y += heightOf(row++)
    const end = Math.min(count, row + SPARE)
    setRange(known => (known.first === first && known.end === end ? known : { first, end }))
  }
  useLayoutEffect(() => {
    for (const row of place.current?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
      heights.current.set(Number(row.dataset.row), row.offsetHeight)
    }
    look()
  })
  useEffect(() => {
    // In a task of its own: within a frame, drawing rows and painting them would be one long task.
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        look()
      })
    }
    addEventListener('scroll', ask, { passive: true })
    addEventListener('resize', ask)
    return () => {
      clearTimeout(timer)
      removeEventListener('scroll', ask)
      removeEventListener('resize', ask)
    }
  }, [count])
  const sum = (from: number, to: number): number => {
    let total = 0
    for (let row = from; row < to; row++) total += heightOf(row)
    return total
  }
  const [first, end] = [Math.min(range.first, count), Math.min(range.end, count)]
  return { first, end, before: sum(0, first), after: sum(end, count), place }
}
