import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Words } from '../ui/text.tsx'
import { type Hit, useHits } from './found_runs.ts'
import { useActions, useBoard, useReleases } from '../reads.ts'
import { type View, change, href, param, visit } from '../route.ts'
import { closeSearch, isSearchOpen } from './open.ts'
import type { ActionRecord } from '../../models/answers/action.ts'
import type { BoardEntry } from '../../models/answers/board.ts'
import type { ReleaseRecord } from '../../models/documents/release.ts'

/** Shortest text that runs are looked for by; pause after the last key before they are, ms. */
const [LEAST, PAUSE_MS] = [3, 150]

/** Most decisions that are searched, the newest. */
const MOST_ACTIONS = 200

/** One box for whatever has a name: pages and what can be done there, agents, releases, runs, people, reasons, ids. */
export function Search({ pages }: { pages: readonly NamedPage[] }) {
  return isSearchOpen() ? <OpenSearch pages={pages} /> : null
}

function OpenSearch({ pages }: { pages: readonly NamedPage[] }) {
  const typed = param('search')
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState(0)
  const settled = useSettled(typed.trim())
  const isLong = settled.length >= LEAST
  const found = useHits(isLong ? settled : '')
  const actions = useActions(isLong ? { limit: MOST_ACTIONS } : null).data?.actions
  const hits = hitsOf(typed, {
    board: useBoard().data?.board ?? [],
    releases: useReleases().data?.releases ?? [],
    hits: settled === typed.trim() ? found.hits : [],
    actions: actions ?? [],
    pages,
  })
  // At once: what is typed next is for it.
  useLayoutEffect(() => box.current?.focus(), [])
  const at = Math.min(chosen, hits.length - 1)

  function open(hit: Hit | undefined): void {
    if (hit === undefined) return
    closeSearch()
    visit(hit.link)
  }
  return (
    <Dialog title="Search" onClose={closeSearch}>
      <input
        ref={box}
        type="text"
        class="search-box"
        role="combobox"
        aria-label="Search"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-hits`}
        aria-autocomplete="list"
        {...(hits.length > 0 ? { 'aria-activedescendant': `${id}-${at}` } : {})}
        placeholder="Go to, do, or find anything by its name or id"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={event => {
          setChosen(0)
          change({ search: event.currentTarget.value }, { replace: true })
        }}
        onKeyDown={event => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step !== undefined && hits.length > 0) {
            event.preventDefault()
            setChosen((at + step + hits.length) % hits.length)
          } else if (event.key === 'Enter') {
            event.preventDefault()
            open(hits[at])
          }
        }}
      />
      <ul id={`${id}-hits`} class="hits" role="listbox" aria-label="Found">
        {hits.map((hit, index) => (
          // A pointer opens it; the keyboard does from the box.
          <li
            key={`${hit.kind} ${hit.text} ${hit.link}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setChosen(index)}
            onClick={() => open(hit)}
          >
            <span class="hit-kind">{hit.kind}</span>
            <Words clip>{hit.text}</Words>
            <span class="faint">{hit.about !== '' && <Words clip>{hit.about}</Words>}</span>
            <Icon name="right" size={14} />
          </li>
        ))}
      </ul>
      <p class="faint" role="status">
        {say(typed.trim(), hits.length, found.isLoading && isLong)}
      </p>
    </Dialog>
  )
}

function say(typed: string, found: number, isSearching: boolean): string {
  if (typed === '')
    return 'Runs, traces, sessions and spans are found by their whole id, whatever release ran.'
  if (isSearching) return 'Evaluating for runs…'
  if (found > 0) return `${found} found; up and down choose, Enter opens.`
  return `No such name or id; traces and sessions are searched for the last 30 days, people and reasons in the newest ${MOST_ACTIONS} decisions.`
}

/** A text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** Most hits of a kind. */
const MOST = 6

/** What is known by a name or an identifier, those that begin with what was typed first. */
function hitsOf(
  typed: string,
  known: {
    readonly board: readonly BoardEntry[]
    readonly releases: readonly ReleaseRecord[]
    /** Of features. */
    readonly hits: readonly Hit[]
    readonly actions: readonly ActionRecord[]
    readonly pages: readonly NamedPage[]
  },
): Hit[] {
  const wanted = typed.trim().toLowerCase()
  const commands = commandHits(wanted, known.pages, known.board)
  if (wanted === '') return [...commands]
  return [
    ...byIdentifier(typed.trim()),
    ...best(agentsOf(known.board), wanted, ({ agent }) => [agent]).map(({ agent, environments }) => ({
      kind: 'Agent',
      text: agent,
      about: environments.join(', '),
      link: href('place', { agent }),
    })),
    ...best(known.releases, wanted, ({ agent_id, version, release_id }) => [
      release_id,
      version,
      `${agent_id} ${version}`,
    ]).map(({ release_id, agent_id, version, environment }) => ({
      kind: 'Release',
      text: `${agent_id} ${version}`,
      about: `${release_id}, for ${environment}`,
      link: href('place', { agent: agent_id, env: environment, release: release_id }),
    })),
    ...commands.slice(0, MOST),
    ...known.hits,
    ...actionHits(wanted, known.actions),
  ]
}

const IDS = [
  [/^act_[0-9a-f]{12}$/, 'Action', 'log', 'action'],
  [/^prq_\w+$/, 'Request', 'place', 'request'],
  [/^whk_\w+$/, 'Webhook', 'settings', 'webhook'],
] as const

/** Actions, requests and webhooks are known by their first letters, and shown by where they would be. */
function byIdentifier(id: string): Hit[] {
  return IDS.filter(([shape]) => shape.test(id)).map(([, kind, view, name]) => ({
    kind,
    text: id,
    about: `in ${view}`,
    link: href(view, { part: view === 'settings' ? 'webhooks' : null, [name]: id }),
  }))
}

function best<T>(all: readonly T[], wanted: string, namesOf: (item: T) => readonly string[]): T[] {
  const rank = (item: T): number => {
    const names = namesOf(item).map(name => name.toLowerCase())
    if (names.includes(wanted)) return 0
    if (names.some(name => name.startsWith(wanted))) return 1
    return names.some(name => name.includes(wanted)) ? 2 : 3
  }
  return all
    .map(item => [rank(item), item] as const)
    .filter(([place]) => place < 3)
    .toSorted(([a], [b]) => a - b)
    .slice(0, MOST)
    .map(([, item]) => item)
}

function agentsOf(board: readonly BoardEntry[]): { agent: string; environments: string[] }[] {
  const agents = Map.groupBy(board, ({ agent_id }) => agent_id)
  return Array.from(agents, ([agent, entries]) => ({
    agent,
    environments: entries.map(({ environment }) => environment),
  }))
}

/** A page, and what the sidebar calls it. */
type NamedPage = readonly [view: View, page: { readonly title: string }]

/** Most hits of a kind. */
const MOST_COMMANDS = 5

/** Whether each word of what was typed is in a text. */
function hasWords(text: string, typed: string): boolean {
  const lower = text.toLowerCase()
  return typed.split(/\s+/).every(word => lower.includes(word))
}

/** Pages, and what can be done on them; all of them before something is typed. */
function commandHits(
  typed: string,
  pages: readonly NamedPage[],
  board: readonly BoardEntry[],
): readonly Hit[] {
  const going = pages.map(([view, { title }]) => ({ kind: 'Page', text: title, about: '', link: href(view) }))
  const has = (view: View): boolean => pages.some(([known]) => known === view)
  const doing = [
    ['log', 'Verify the chain', href('log', { verify: 'all' })],
    ['settings', 'See whether the service is healthy', href('settings', { part: 'health' })],
    ['settings', 'Edit the policy', href('settings', { part: 'policy', edit: 'policy' })],
    ['settings', 'Import prices', href('settings', { part: 'prices', prices: 'import' })],
    ['settings', 'Add a webhook', href('settings', { part: 'webhooks', add: 'webhook' })],
  ] as const
  return [
    ...(typed === '' ? [] : board.flatMap(decisions)),
    ...doing.filter(([view]) => has(view)).map(([, text, link]) => ({ kind: 'Do', text, about: '', link })),
    ...going,
  ].filter(({ text }) => hasWords(text, typed))
}

function decisions({ agent_id, environment, promoted }: BoardEntry): Hit[] {
  const place = { decide_agent: agent_id, decide_env: environment }
  const hit = (decide: 'promote' | 'rollback', words: string): Hit => ({
    kind: 'Do',
    text: `${words} ${agent_id} in ${environment}`,
    about: '',
    link: href('board', { decide, ...place }),
  })
  return [hit('promote', 'Promote'), ...(promoted === null ? [] : [hit('rollback', 'Roll back')])]
}

/** Decisions by the beginning of their id, people, and reasons, among the newest decisions. */
function actionHits(typed: string, actions: readonly ActionRecord[]): Hit[] {
  const people = [...new Set(actions.map(({ actor }) => actor))].filter(actor => hasWords(actor, typed))
  const found = actions.filter(
    ({ action_id, reason }) => action_id.startsWith(typed) || hasWords(reason, typed),
  )
  return [
    ...people.slice(0, MOST_COMMANDS).map(actor => ({
      kind: 'Person',
      text: actor,
      about: 'in the log',
      link: href('log', { by: actor }),
    })),
    ...found.slice(0, MOST_COMMANDS).map(({ action_id, action, agent_id, environment, reason }) => ({
      kind: action === 'promote' ? 'Promotion' : 'Rollback',
      text: reason,
      about: `${agent_id} in ${environment}, ${action_id}`,
      link: href('log', { action: action_id }),
    })),
  ]
}
