// Pages besides the board and the places, and the search over all.
export { LogPage } from '../log/log.tsx'
export { RunListPage } from '../runs/runs.tsx'
export { Search } from '../search/search.tsx'
export { SettingsPage } from '../settings/settings.tsx'
