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
  settings: {
    Shown: later(() => import('../settings/settings.tsx').then(({ SettingsPage }) => SettingsPage), 12),
    title: 'Settings',
    icon: 'policy',
    key: 's',
  },
}

/** The pages that the sidebar lists. */
export const NAV = (Object.entries(PAGES) as [View, Page][]).filter(([, { icon }]) => icon !== undefined)
