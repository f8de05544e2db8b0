import { signal } from '../signal.ts'
import { change, param } from '../route.ts'

const isRequested = signal(false)

/** The search text is in the address, so that a link opens the same search. */
export const isSearchOpen = (): boolean => isRequested.value || param('search') !== ''

export function openSearch(): void {
  isRequested.value = true
}

export function closeSearch(): void {
  isRequested.value = false
  change({ search: null }, { replace: true })
}
