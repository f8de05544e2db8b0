import { AccessPage } from '../pages/access/access.tsx'
import { ApprovalsPage } from '../pages/approvals/approvals.tsx'
import { BoardPage } from '../pages/board/board.tsx'
import { DiffPage } from '../pages/diff/diff.tsx'
import { LedgerPage } from '../pages/ledger/ledger.tsx'
import { PolicyPage } from '../pages/policy/policy.tsx'
import { ReleasePage } from '../pages/releases/release.tsx'
import { ReleasesPage } from '../pages/releases/releases.tsx'
import { RunListPage } from '../pages/runs/runs.tsx'
import { WebhooksPage } from '../pages/webhooks/webhooks.tsx'
import type { View } from '../route.ts'
import { FEATURES } from './features.ts'

/** The page of each view. */
export const PAGES: Readonly<Partial<Record<View, () => preact.ComponentChild>>> = {
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
  ...Object.assign({}, ...FEATURES.map(({ pages }) => pages)),
}
