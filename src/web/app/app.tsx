import { useEffect } from 'preact/hooks'
import { csrfToken, modes, readRefusal, signIn, token } from '../access.ts'
import { DownBanner } from '../components/states.tsx'
import { Note } from '../components/note.tsx'
import { Panel } from '../components/panels.tsx'
import { TokenForm } from '../components/token_form.tsx'
import { later } from '../components/later.tsx'
import { get, useRead } from '../query.ts'
import { type View, currentView, param } from '../route.ts'
import { isSearchOpen } from '../search/open.ts'
import { PAGES } from './pages.ts'
import { ShortcutsHelp } from './shortcuts.tsx'
import { NAV, Sidebar } from './sidebar.tsx'

const DecisionDialog = later(() => import('../decide/dialog.tsx').then(module => module.DecisionDialog))
const Search = later(() => import('../search/search.tsx').then(module => module.Search))

/** Pages that the sidebar doesn't list. */
const TITLES: Readonly<Partial<Record<View, string>>> = { agent: 'Agent', rollout: 'Rollout' }

export function App() {
  const view = currentView()
  const health = useRead<NonNullable<typeof modes.value>>(get('health'), 60_000)
  useEffect(() => {
    if (health.data !== undefined) modes.value = health.data
  }, [health.data])
  useEffect(() => {
    const label = NAV.find(([name]) => name === view)?.[1] ?? TITLES[view] ?? 'Release'
    document.title = `${label} · Release governance`
  }, [view])
  const Page = PAGES[view] ?? PAGES.board!
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Sidebar view={view} />
      <div class="content">
        <DownBanner />
        <main id="main" tabIndex={-1}>
          {readRefusal.value !== undefined && view !== 'access' ? <Locked /> : <Page key={view} />}
        </main>
      </div>
      {param('decide') !== '' && <DecisionDialog />}
      <Panel slot="dialog" />
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
            The operator chose it as SERVICE_LOCAL_API_TOKEN; a read token does for looking around. It is kept
            for this tab only.
          </p>
          <TokenForm />
        </>
      ) : (
        <>
          <h1>Sign in to see this ledger</h1>
          <Panel slot="entry" />
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
