import { signal } from '../signal.ts'
import { change, param } from '../route.ts'

const isAsked = signal(false)

/** What is looked for stands in the address, so that a link opens the same search. */
export const isSearchOpen = (): boolean => isAsked.value || param('search') !== ''

export function openSearch(): void {
  isAsked.value = true
}

export function closeSearch(): void {
  isAsked.value = false
  change({ search: null }, { replace: true })
}
