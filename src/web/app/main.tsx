import { render } from 'preact'
import { csrfToken, modes, readRefusal, signIn, startStorage, token } from '../access.ts'
import { loadAhead } from '../ui/later.tsx'
import { Entry } from '../settings/identity.tsx'
import { startClock } from '../ui/text.tsx'
import { get, readAhead, startFollowing, startRefreshing, useRead } from '../query.ts'
import { type View, currentView, isPage, param, startRouting } from '../route.ts'
import { ShortcutsHelp, startShortcuts } from './shortcuts.tsx'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { DownBanner } from '../ui/states.tsx'
import { Note } from '../ui/note.tsx'
import { TokenForm } from '../ui/token_form.tsx'
import { isSearchOpen } from '../search/open.ts'
import { DecisionDialog, NAV, PAGES, Search, StartDialog } from './pages.ts'
import { Sidebar } from './sidebar.tsx'

function App() {
  const view = currentView()
  const { Shown, title } = PAGES[view]
  const health = useRead<NonNullable<typeof modes.value>>(get('health'), 60_000)
  useEffect(() => {
    if (health.data !== undefined) modes.value = health.data
  }, [health.data])
  // Before the effects of the page, which may name its place.
  useLayoutEffect(() => {
    document.title = `${title} · Release governance`
  }, [title])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Sidebar view={view} />
      <div class="content">
        <DownBanner />
        <main id="main" tabIndex={-1}>
          {!isPage() && (
            <Note role="status">
              Unknown page “<bdi>{param('view')}</bdi>”: this is the board.
            </Note>
          )}
          {readRefusal.value !== undefined && param('part') !== 'access' ? <Locked /> : <Shown key={view} />}
        </main>
      </div>
      {param('decide') === 'rollout' ? <StartDialog /> : param('decide') !== '' && <DecisionDialog />}
      {isSearchOpen() && <Search pages={NAV} />}
      <ShortcutsHelp />
    </div>
  )
}

function Locked() {
  return (
    <div class="locked">
      {signIn.value === undefined ? (
        <>
          <h1>This ledger takes a token</h1>
          <p>
            The operator chose it as SERVICE_LOCAL_API_TOKEN; a read token is enough to read. It is kept for
            this tab only.
          </p>
          <TokenForm />
        </>
      ) : (
        <>
          <h1>Sign in to see this ledger</h1>
          <Entry />
          <details>
            <summary>Use a token instead</summary>
            <TokenForm />
          </details>
        </>
      )}
      {(signIn.value === undefined || token.value !== '' || csrfToken() !== '') && (
        <Note tone="bad" icon="lock">
          <bdi>{readRefusal.value}</bdi>
        </Note>
      )}
    </div>
  )
}

/** By then the first page has what it needs, ms. */
const LOAD_AHEAD_MS = 500

startRouting(Object.keys(PAGES) as View[])
startRefreshing()
startFollowing()
startClock()
startStorage()
startShortcuts()
// Almost every page shows something of it; what index.html holds is painted while it comes.
readAhead(get('v1/board'))
requestAnimationFrame(() => setTimeout(() => render(<App />, document.querySelector('#app')!)))
setTimeout(() => void loadAhead(), LOAD_AHEAD_MS)
