import type { ComponentChild } from 'preact'
import { later } from '../ui/later.tsx'
import type { View } from '../route.ts'
import type { IconName } from '../ui/icon.tsx'

/** A page, and where it is found. */
interface Page {
  readonly Shown: (props: object) => ComponentChild
  readonly title: string
  /** Its picture where the sidebar lists it. */
  readonly icon?: IconName
  /** The letter that follows g on the keyboard. */
  readonly key?: string
}

/** Pages in the order of the sidebar. */
export const PAGES: Readonly<Record<View, Page>> = {
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
  runs: {
    Shown: later(() => import('../runs/runs.tsx').then(({ RunListPage }) => RunListPage), 12),
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
