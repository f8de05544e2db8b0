import { signal } from './signal.ts'

const TOKEN_KEY = 'service-token'
const READ_ONLY_KEY = 'service-read-only'
const ACTOR_KEY = 'service-actor'

/** The Bearer token: it stays in this tab and is forgotten with it. */
export const token = signal(recall(TOKEN_KEY))
/** Whether the user wants a page that changes nothing. */
export const readOnly = signal(recall(READ_ONLY_KEY) === 'true')
/** The name that is sent as the actor of a decision, unless a proxy says who it is; this browser keeps it. */
export const actor = signal(recall(ACTOR_KEY, 'localStorage'))

/** Why the last read was refused: a token is missing or not good for it. */
export const readRefusal = signal<string | undefined>(undefined)
/** Why the last change was refused. */
export const writeRefusal = signal<string | undefined>(undefined)

/** What GET /health says; undefined until it has. */
export const modes = signal<{ mutation_auth: string; read_auth: string } | undefined>(undefined)

/** Why nothing can be changed from here, as far as it is known; undefined where it may be tried. */
export const whyNoChanges = {
  get value(): string | undefined {
    if (readOnly.value) return 'Read-only mode is on.'
    if (modes.value?.mutation_auth === 'bearer' && token.value === '') return 'Changes take a token.'
    return writeRefusal.value
  },
}

export function setToken(value: string): void {
  token.value = keep(TOKEN_KEY, value.trim())
  readRefusal.value = undefined
  writeRefusal.value = undefined
}

export function setReadOnly(value: boolean): void {
  readOnly.value = keep(READ_ONLY_KEY, value ? 'true' : '') !== ''
}

/** Whether nobody has said yet who acts here. */
export const isNameless = (): boolean => actor.value.trim() === ''

export function setActor(value: string): void {
  actor.value = keep(ACTOR_KEY, value, 'localStorage')
}

type Storage = 'sessionStorage' | 'localStorage'

/** Storage is refused to a page in some private modes; then things last until it is closed. */
export function recall(key: string, storage: Storage = 'sessionStorage'): string {
  try {
    return globalThis[storage].getItem(key) ?? ''
  } catch {
    return ''
  }
}

export function keep(key: string, value: string, storage: Storage = 'sessionStorage'): string {
  try {
    if (value === '') globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, value)
  } catch {
    // Nothing is lost but the memory of it.
  }
  return value
}
