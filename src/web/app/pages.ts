import { later } from '../components/later.tsx'
import type { View } from '../route.ts'
import { FEATURES } from './features.ts'

/** The page of each view. */
export const PAGES: Readonly<Partial<Record<View, (props: object) => preact.ComponentChild>>> = {
  board: later(() => import('../pages/board/board.tsx').then(({ BoardPage }) => BoardPage), 12),
  agent: later(() => import('../pages/agent/agent.tsx').then(({ AgentPage }) => AgentPage), 12),
  releases: later(
    () => import('../pages/releases/releases.tsx').then(({ ReleasesPage }) => ReleasesPage),
    12,
  ),
  release: later(() => import('../pages/releases/release.tsx').then(({ ReleasePage }) => ReleasePage), 12),
  diff: later(() => import('../pages/diff/diff.tsx').then(({ DiffPage }) => DiffPage), 12),
  ledger: later(() => import('../pages/ledger/ledger.tsx').then(({ LedgerPage }) => LedgerPage), 12),
  approvals: later(
    () => import('../pages/approvals/approvals.tsx').then(({ ApprovalsPage }) => ApprovalsPage),
    12,
  ),
  runs: later(() => import('../pages/runs/runs.tsx').then(({ RunListPage }) => RunListPage), 12),
  webhooks: later(
    () => import('../pages/webhooks/webhooks.tsx').then(({ WebhooksPage }) => WebhooksPage),
    12,
  ),
  policy: later(() => import('../pages/policy/policy.tsx').then(({ PolicyPage }) => PolicyPage), 12),
  access: later(() => import('../pages/access/access.tsx').then(({ AccessPage }) => AccessPage), 12),
  ...Object.assign({}, ...FEATURES.map(({ pages }) => pages)),
}
