import { render } from 'preact'
import { App } from './app.tsx'
import { startClock } from './components/text.tsx'
import { startRefreshing } from './query.ts'
import { startRouting } from './route.ts'
import { startShortcuts } from './shortcuts.tsx'

startRouting()
startRefreshing()
startClock()
startShortcuts()
render(<App />, document.querySelector('#app')!)
