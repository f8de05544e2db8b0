import { useEffect, useState } from 'preact/hooks'
import { actor, actsByName, modes, readOnly, signIn, whyNoChanges } from '../access.ts'
import { Icon } from '../ui/icon.tsx'
import { Foot } from '../settings/identity.tsx'
import { Time, Words } from '../ui/text.tsx'
import { isPaused, refreshAll, updatedAt } from '../query.ts'
import { useNeeded } from '../places/concerns.ts'
import { type View, href } from '../route.ts'
import { openSearch } from '../search/open.ts'
import { NAV } from './pages.ts'
import { Button } from '../ui/button.tsx'

/** Where one can go, and the state: freshness, name, access. */
export function Sidebar({ view }: { view: View }) {
  const needed = useNeeded()
  // On a phone the pages are behind a button: in a row, some would be out of sight.
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [view])
  return (
    <nav class={`sidebar ${isOpen ? 'open' : ''}`} aria-label="Pages">
      <a class="brand" href={href('board')}>
        Release governance
      </a>
      <button type="button" class="search-button" title="Search and commands (/)" onClick={openSearch}>
        <Icon name="search" />
        <span class="nav-label">Search</span>
        <kbd>/</kbd>
      </button>
      <Button kind="pages-button" aria-expanded={isOpen} onClick={() => setOpen(known => !known)}>
        {NAV.find(([name]) => isAt(name, view))?.[1].title ?? 'Pages'}
        <Icon name="down" size={14} />
        <span class="hidden"> and other pages</span>
      </Button>
      <ul>
        {NAV.map(([name, { title, icon }]) => (
          <li key={name}>
            <a href={href(name)} aria-current={isAt(name, view) ? 'page' : undefined}>
              <Icon name={icon!} />
              <span class="nav-label">{title}</span>
              {name === 'board' && needed > 0 && (
                <span class="pill">
                  {needed}
                  <span class="hidden"> need somebody</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      <div class="sidebar-foot">
        <Freshness />
        {actsByName() && <Acting />}
        <Foot />
        <AccessNote />
      </div>
    </nav>
  )
}

/** Whether a link of the sidebar leads to a view. */
const isAt = (name: View, view: View): boolean => name === view || (view === 'place' && name === 'board')

/** When this page was last brought up to date, and a way to hold it still. */
function Freshness() {
  const at = updatedAt.value
  return (
    <p class="access-note">
      <Icon name="waiting" size={14} />
      <span>
        {isPaused.value ? 'Paused' : 'Updated'}
        {at !== undefined && !isPaused.value && (
          <>
            {' '}
            <Time at={at} fine />
          </>
        )}
        <br />
        <button
          type="button"
          class="link"
          aria-pressed={isPaused.value}
          onClick={() => {
            isPaused.value = !isPaused.value
            if (!isPaused.value) refreshAll()
          }}
        >
          {isPaused.value ? 'Go on' : 'Pause updates'}
        </button>
      </span>
    </p>
  )
}

/** As whom decisions go on record. */
function Acting() {
  return (
    <p class="access-note">
      <Icon name="approvals" size={14} />
      <span>
        {actor.value.trim() === '' ? (
          <a href={href('settings', { part: 'access' })}>Set your name</a>
        ) : (
          <a href={href('settings', { part: 'access' })} title="Change the name">
            <Words>{actor.value}</Words>
          </a>
        )}
      </span>
    </p>
  )
}

/** Who may do what, as the service says and as far as it has been tried. */
function AccessNote() {
  const reason = whyNoChanges.value
  if (modes.value === undefined) return null
  const { read_auth, mutation_auth } = modes.value
  const credential = signIn.value === undefined ? 'token' : 'sign-in or token'
  return (
    <p class="access-note">
      <Icon name={read_auth === 'open' ? 'open' : 'lock'} size={14} />
      <span>
        Reads: {read_auth === 'open' ? 'open' : credential}
        <br />
        Changes: {mutation_auth === 'bearer' ? credential : 'this machine'}
        {readOnly.value && (
          <>
            <br />
            <strong>Read-only mode</strong>
          </>
        )}
        {!readOnly.value && reason !== undefined && (
          <>
            <br />
            <a href={href('settings', { part: 'access' })}>Changes are off here</a>
          </>
        )}
      </span>
    </p>
  )
}
