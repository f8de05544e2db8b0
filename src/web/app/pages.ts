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
import type { Part } from '../part.ts'
import * as features from './features.ts'
import * as parts from './parts.ts'

const SECTIONS = Object.values<Part>(parts).flatMap(({ access }) => access ?? [])

/** The page of each view. Those of features are exported under the name of their view. */
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
  access: () => AccessPage({ sections: SECTIONS }),
  ...features,
}
