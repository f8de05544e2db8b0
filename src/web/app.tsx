import { useEffect } from 'preact/hooks'
import { modes, readOnly, readRefusal, whyNoChanges } from './access.ts'
import { DownBanner } from './components/states.tsx'
import { Icon } from './components/icon.tsx'
import { TokenForm } from './components/token_form.tsx'
import { DecisionDialog } from './decide/dialog.tsx'
import { AccessPage } from './pages/access/access.tsx'
import { ApprovalsPage } from './pages/approvals/approvals.tsx'
import { BoardPage } from './pages/board/board.tsx'
import { DiffPage } from './pages/diff/diff.tsx'
import { LedgerPage } from './pages/ledger/ledger.tsx'
import { PolicyPage } from './pages/policy/policy.tsx'
import { ReleasePage } from './pages/releases/release.tsx'
import { ReleasesPage } from './pages/releases/releases.tsx'
import { RunListPage } from './pages/runs/runs.tsx'
import { WebhooksPage } from './pages/webhooks/webhooks.tsx'
import { get, useRead } from './query.ts'
import { useRequests } from './reads.ts'
import { type View, currentView, href } from './route.ts'
import { ShortcutsHelp } from './shortcuts.tsx'

const PAGES: Readonly<Record<View, () => preact.ComponentChild>> = {
  board: BoardPage,
  releases: ReleasesPage,
  release: ReleasePage,
  diff: DiffPage,
  ledger: LedgerPage,
  approvals: ApprovalsPage,
  runs: RunListPage,
  webhooks: WebhooksPage,
  policy: PolicyPage,
  access: AccessPage,
}

const NAV = [
  ['board', 'Board'],
  ['releases', 'Releases'],
  ['diff', 'Diff'],
  ['ledger', 'Ledger'],
  ['approvals', 'Approvals'],
  ['runs', 'Runs'],
  ['webhooks', 'Webhooks'],
  ['policy', 'Policy and pricing'],
  ['access', 'Access'],
] as const satisfies readonly (readonly [View, string])[]

export function App() {
  const view = currentView()
  const health = useRead<NonNullable<typeof modes.value>>(get('health'), 60_000)
  useEffect(() => {
    if (health.data !== undefined) modes.value = health.data
  }, [health.data])
  useEffect(() => {
    const label = NAV.find(([name]) => name === view)?.[1] ?? 'Release'
    document.title = `${label} · Release governance`
  }, [view])
  const Page = PAGES[view]
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
      <DecisionDialog />
      <ShortcutsHelp />
    </div>
  )
}

function Sidebar({ view }: { view: View }) {
  const pending = useRequests('pending').data?.requests.length ?? 0
  return (
    <nav class="sidebar" aria-label="Pages">
      <a class="brand" href={href('board')}>
        Release governance
      </a>
      <ul>
        {NAV.map(([name, label]) => {
          const isHere = name === view || (name === 'releases' && view === 'release')
          return (
            <li key={name}>
              <a href={href(name)} aria-current={isHere ? 'page' : undefined}>
                <Icon name={name} />
                {label}
                {name === 'approvals' && pending > 0 && (
                  <span class="pill">
                    {pending}
                    <span class="hidden"> pending</span>
                  </span>
                )}
              </a>
            </li>
          )
        })}
      </ul>
      <AccessNote />
    </nav>
  )
}

/** Who may do what, as the service says and as far as it has been tried. */
function AccessNote() {
  const reason = whyNoChanges.value
  if (modes.value === undefined) return null
  const { read_auth, mutation_auth } = modes.value
  return (
    <p class="access-note">
      <Icon name={read_auth === 'open' ? 'open' : 'lock'} size={14} />
      <span>
        Reads: {read_auth === 'open' ? 'open' : 'token'}
        <br />
        Changes: {mutation_auth === 'bearer' ? 'token' : 'this machine'}
        {readOnly.value && (
          <>
            <br />
            <strong>Read-only mode</strong>
          </>
        )}
        {!readOnly.value && reason !== undefined && (
          <>
            <br />
            <a href={href('access')}>Changes are off here</a>
          </>
        )}
      </span>
    </p>
  )
}

function Locked() {
  return (
    <div class="locked">
      <h1>This ledger takes a token</h1>
      <p>
        The operator chose it as SERVICE_LOCAL_API_TOKEN; a read token does for looking around. It is kept for
        this tab only.
      </p>
      <TokenForm />
      <p class="note bad" role="alert">
        <Icon name="lock" />
        <bdi>{readRefusal.value}</bdi>
      </p>
    </div>
  )
}
