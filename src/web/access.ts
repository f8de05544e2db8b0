import { signal } from './signal.ts'

const TOKEN_KEY = 'service-token'
const READ_ONLY_KEY = 'service-read-only'
const ACTOR_KEY = 'service-actor'

/** The Bearer token: it stays in this tab and is forgotten with it. */
export const token = signal(recall(TOKEN_KEY))
/** Whether the user wants a page that changes nothing. */
export const readOnly = signal(recall(READ_ONLY_KEY) === 'true')
/** The name that the user typed; this browser keeps it. */
const typedName = signal(recall(ACTOR_KEY, 'localStorage'))
/** The name that is sent as the actor of a decision, unless a proxy says who it is; none of somebody who has signed in. */
export const actor = {
  get value(): string {
    return signIn.value?.person === undefined ? typedName.value : ''
  },
}

/** What is known of signing in; undefined where nobody can, or it is not known yet. `person` has signed in. */
export const signIn = signal<{ readonly person: string | undefined } | undefined>(undefined)

/** What the web UI sends along with the cookie of a session; empty where nobody has signed in. */
export const csrfToken = (): string =>
  /(?:^|; )(?:__Host-)?service-csrf=(\w+)/.exec(document.cookie)?.[1] ?? ''

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
    if (modes.value?.mutation_auth === 'bearer' && token.value === '' && csrfToken() === '') {
      return signIn.value === undefined ? 'Changes take a token.' : 'Sign in to change anything.'
    }
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

/** Whether the user's own word says who acts: where people sign in, that is so with a token alone. */
export const actsByName = (): boolean => signIn.value === undefined || token.value !== ''

/** Whether nobody has said yet who acts here. */
export const isNameless = (): boolean => signIn.value?.person === undefined && actor.value.trim() === ''

export function setActor(value: string): void {
  typedName.value = keep(ACTOR_KEY, value, 'localStorage')
}

/** A name that is changed in another tab counts here too. */
export function startStorage(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === ACTOR_KEY) typedName.value = newValue ?? ''
  })
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
