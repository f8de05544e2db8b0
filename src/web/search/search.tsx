import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { Words } from '../components/text.tsx'
import { useBoard, useFoundRuns, useReleases } from '../reads.ts'
import { change, param, visit } from '../route.ts'
import { type Hit, hitsOf } from './hits.ts'
import { closeSearch, isSearchOpen } from './open.ts'

/** Shortest text that runs are looked for by; pause after the last key before they are, ms. */
const [LEAST, PAUSE_MS] = [3, 150]

/** One box for whatever has a name: agent, release, run, trace, session, action, request. */
export function Search() {
  return isSearchOpen() ? <OpenSearch /> : null
}

function OpenSearch() {
  const typed = param('search')
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState(0)
  const settled = useSettled(typed.trim())
  const runs = useFoundRuns(settled.length >= LEAST ? settled : '')
  const hits = hitsOf(typed, {
    board: useBoard().data?.board ?? [],
    releases: useReleases().data?.releases ?? [],
    runs: settled === typed.trim() ? (runs.data?.runs ?? []) : [],
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
        placeholder="Agent, release, run, trace, session, action, request"
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
            <span class="faint">
              <Words clip>{hit.about}</Words>
            </span>
            <Icon name="right" size={14} />
          </li>
        ))}
      </ul>
      <p class="faint" role="status">
        {say(typed.trim(), hits.length, runs.loading && settled.length >= LEAST)}
      </p>
    </Dialog>
  )
}

function say(typed: string, found: number, isLooking: boolean): string {
  if (typed === '')
    return 'Runs, traces, sessions and spans are found by their whole id, whatever release ran.'
  if (isLooking) return 'Looking for runs…'
  if (found > 0) return `${found} found; up and down choose, Enter opens.`
  return 'Nothing has that name or id; traces and sessions are looked for in the last 30 days.'
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
