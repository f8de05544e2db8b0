import { signal } from '../signal.ts'
import { keep, recall } from '../access.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'
import { Facts } from '../ui/table.tsx'
import { href, visit } from '../route.ts'
import { openSearch } from '../search/open.ts'
import { NAV } from './pages.ts'

const KEY = 'service-shortcuts'

/** A page by the letter that follows g. */
const PLACES = new Map(NAV.flatMap(([view, { key }]) => (key === undefined ? [] : [[key, view] as const])))

const isOn = signal(recall(KEY, 'localStorage') !== 'off')
const isHelpOpen = signal(false)
/** Time in which the second key has to follow, ms. */
const PAUSE_MS = 1500

export function startShortcuts(): void {
  let wentAt = Number.NEGATIVE_INFINITY
  document.addEventListener('keydown', event => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      openSearch()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (event.key === '?') {
      isHelpOpen.value = true
      return
    }
    if (!isOn.value || document.querySelector('dialog[open]') !== null) return
    const place = PLACES.get(event.key)
    if (event.key === 'g') wentAt = event.timeStamp
    else if (event.key === '/') {
      event.preventDefault()
      openSearch()
    } else if (place !== undefined && event.timeStamp - wentAt < PAUSE_MS) {
      wentAt = Number.NEGATIVE_INFINITY
      visit(href(place))
    }
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}

/** Lists the keys; single keys can be switched off for those whom they disturb (WCAG 2.1.4). */
export function ShortcutsHelp() {
  if (!isHelpOpen.value) return null
  return (
    <Dialog title="Keyboard" onClose={() => (isHelpOpen.value = false)}>
      <Facts
        facts={{
          ...Object.fromEntries([...PLACES].map(([letter, view]) => [`g ${letter}`, view])),
          '/': 'search, as Ctrl K or ⌘ K does',
          '↑ ↓': 'from agent to agent on the board',
          Esc: 'close a dialog or drawer',
        }}
      />
      <Check checked={isOn.value} onChange={switchTo}>
        Single-key shortcuts are on
      </Check>
    </Dialog>
  )
}

function switchTo(on: boolean): void {
  isOn.value = on
  keep(KEY, on ? '' : 'off', 'localStorage')
}
