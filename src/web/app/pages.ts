import { later } from '../components/later.tsx'
import type { Page, Pages } from '../components/panels.tsx'
import type { View } from '../route.ts'
import { FEATURES } from './features.ts'

export const PAGES: Pages = {
  board: {
    Shown: later(() => import('../places/board.tsx').then(({ BoardPage }) => BoardPage), 12),
    title: 'Board',
    icon: 'board',
    key: 'b',
  },
  place: {
    Shown: later(() => import('../places/place.tsx').then(({ PlacePage }) => PlacePage), 12),
    title: 'Place',
  },
  log: {
    Shown: later(() => import('../log/log.tsx').then(({ LogPage }) => LogPage), 12),
    title: 'Log',
    icon: 'ledger',
    key: 'l',
  },
  ...Object.assign({}, ...FEATURES.map(({ pages }) => pages)),
  runs: {
    Shown: later(() => import('../pages/runs/runs.tsx').then(({ RunListPage }) => RunListPage), 12),
    title: 'Runs',
    icon: 'runs',
    key: 'r',
  },
  webhooks: {
    Shown: later(() => import('../pages/webhooks/webhooks.tsx').then(({ WebhooksPage }) => WebhooksPage), 12),
    title: 'Webhooks',
    icon: 'webhooks',
    key: 'w',
  },
  policy: {
    Shown: later(() => import('../pages/policy/policy.tsx').then(({ PolicyPage }) => PolicyPage), 12),
    title: 'Policy and pricing',
    icon: 'policy',
    key: 'p',
  },
  access: {
    Shown: later(() => import('../pages/access/access.tsx').then(({ AccessPage }) => AccessPage), 12),
    title: 'Access',
    icon: 'access',
  },
}

/** The pages that the sidebar lists. */
export const NAV = (Object.entries(PAGES) as [View, Page][]).filter(([, { icon }]) => icon !== undefined)
