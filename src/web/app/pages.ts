import type { ComponentChild } from 'preact'
import { BoardPage } from '../places/board.tsx'
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

// Each of the two is one file: what its parts have in common is compressed once.
const places = () => import('../places/place.tsx')
const others = () => import('./others.ts')

export const DecisionDialog = later(() => places().then(module => module.DecisionDialog))
export const StartDialog = later(() => places().then(module => module.StartDialog))
export const Search = later(() => others().then(module => module.Search))

/** Pages in the order of the sidebar. */
export const PAGES: Readonly<Record<View, Page>> = {
  board: {
    Shown: BoardPage,
    title: 'Board',
    icon: 'board',
    key: 'b',
  },
  place: {
    Shown: later(() => places().then(({ PlacePage }) => PlacePage), 12),
    title: 'Place',
  },
  log: {
    Shown: later(() => others().then(({ LogPage }) => LogPage), 12),
    title: 'Log',
    icon: 'ledger',
    key: 'l',
  },
  runs: {
    Shown: later(() => others().then(({ RunListPage }) => RunListPage), 12),
    title: 'Runs',
    icon: 'runs',
    key: 'r',
  },
  settings: {
    Shown: later(() => others().then(({ SettingsPage }) => SettingsPage), 12),
    title: 'Settings',
    icon: 'policy',
    key: 's',
  },
}

/** The pages that the sidebar lists. */
export const NAV = (Object.entries(PAGES) as [View, Page][]).filter(([, { icon }]) => icon !== undefined)
