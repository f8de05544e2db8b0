import { signal } from './signal.ts'

export type View = 'board' | 'place' | 'log' | 'runs' | 'settings'

export type Params = Readonly<Record<string, string | null | undefined>>

let views: readonly View[] = []

const current = (): URLSearchParams => new URLSearchParams(location.search)

/**
 * Where the user is: the whole state of a page is in the query of its URL. The path stays the one that the page
 * was loaded from, so it works under any prefix of a proxy; a fragment would be lost in a single sign-on redirect.
 */
const query = signal(current())

export function currentView(): View {
  const view = query.value.get('view') ?? 'board'
  return views.find(known => known === view) ?? 'board'
}

/** Whether the address names a page that is there. */
export const isPage = (): boolean => [...views, ''].includes(query.value.get('view') ?? '')

/** A parameter of the page, empty where it is not set. */
export function param(name: string): string {
  return query.value.get(name) ?? ''
}

/** The link to a view; empty parameters are left out. */
export function href(view: View, params: Params = {}): string {
  return toQuery({ view, ...params })
}

/** The link to this page with some parameters changed. */
export function hereWith(changes: Params): string {
  return toQuery({ ...Object.fromEntries(query.value), ...changes })
}

function toQuery(params: Params): string {
  const set = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return `?${set.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

/** Goes to a link of this page. Replacing leaves no step in the history: for what is typed. */
function go(link: string, { replace = false } = {}): void {
  if (link === location.search) return
  history[replace ? 'replaceState' : 'pushState'](null, '', link)
  query.value = current()
}

export function change(changes: Params, options?: { replace?: boolean }): void {
  go(hereWith(changes), options)
}

/** Follows Back and Forward, and turns clicks on links within the page into steps without a reload. */
export function startRouting(known: readonly View[]): void {
  views = known
  addEventListener('popstate', () => {
    query.value = current()
  })
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="?"]') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || event.defaultPrevented) return
    event.preventDefault()
    visit(link.getAttribute('href')!)
  })
}

/** Goes to a link as a click on it does: a new page begins at its top, and has the focus. */
export function visit(link: string): void {
  const before = currentView()
  go(link)
  if (currentView() === before) return
  scrollTo(0, 0)
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true })
}

/** The whole address of this page with some parameters changed, to be sent to others. */
export function addressWith(changes: Params): string {
  return new URL(hereWith(changes), location.href).href
}
