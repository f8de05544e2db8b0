import { render } from 'preact'
import { startStorage } from '../access.ts'
import { App } from './app.tsx'
import { loadAhead } from '../components/later.tsx'
import { startPanels } from '../components/panels.tsx'
import { FEATURES } from './features.ts'
import { startClock } from '../components/text.tsx'
import { get, readAhead, startRefreshing } from '../query.ts'
import { startFollowing } from '../live.ts'
import { startRouting } from '../route.ts'
import { startShortcuts } from './shortcuts.tsx'

/** By then the first page has what it needs, ms. */
const LOAD_AHEAD_MS = 500

startPanels(FEATURES)
startRouting()
startRefreshing()
startFollowing()
startClock()
startStorage()
startShortcuts()
// Almost every page shows something of it; what index.html holds is painted while it comes.
readAhead(get('v1/board'))
requestAnimationFrame(() => setTimeout(() => render(<App />, document.querySelector('#app')!)))
setTimeout(() => void loadAhead(), LOAD_AHEAD_MS)
