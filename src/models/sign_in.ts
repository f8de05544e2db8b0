import { MINUTE_MS, durationMs } from '../base/time.ts'
import type { Check, Fault } from './checks.ts'

/** The parts of a workspace that decide whether people can sign in. */
interface Workspace {
  readonly auth?: unknown
  readonly public_url?: unknown
  readonly approvals?: { readonly people_only?: boolean }
}

interface Issuer {
  readonly audience?: string
  readonly login?: {
    readonly name?: string
    readonly session_idle?: string
    readonly session_lasts?: string
  } | null
}

/** The name of a way to sign in where service.yaml gives none. */
export const LOGIN_NAME = 'sso'

/** The shortest session, ms: its use is noted once a minute. */
const SHORTEST_MS = 5 * MINUTE_MS

/**
 * Sign-in needs to know the address of the web UI: providers send people back there, and its cookies are for HTTPS. Each way
 * to sign in has a name of its own, and so a redirect URI of its own.
 */
export const signInFits: Check<Workspace> = workspace => {
  const issuers = issuersOf(workspace.auth)
  const names = new Set<string>()
  for (const [index, { audience, login }] of issuers.entries()) {
    const path = ['auth', 'oidc', index]
    if (login == null) {
      if (audience === undefined)
        return { path: [...path, 'audience'], expected: 'given where login is not', actual: 'missing' }
      continue
    }
    const { name = LOGIN_NAME } = login
    if (names.has(name)) {
      return { path: [...path, 'login', 'name'], expected: 'another one for each login', actual: name }
    }
    names.add(name)
    for (const key of ['session_idle', 'session_lasts'] as const) {
      const text = login[key]
      if (text !== undefined && (durationMs(text) ?? 0) < SHORTEST_MS)
        return { path: [...path, 'login', key], expected: 'at least 5m', actual: text }
    }
  }
  if (names.size > 0) return addressFault(workspace.public_url)
  return workspace.approvals?.people_only === true
    ? {
        path: ['approvals', 'people_only'],
        expected: 'left out unless people can sign in (auth.oidc[].login)',
        actual: 'true',
      }
    : undefined
}

function issuersOf(auth: unknown): readonly Issuer[] {
  const issuers = (auth as { oidc?: readonly Issuer[] | null } | undefined)?.oidc
  return issuers ?? []
}

function addressFault(url: unknown): Fault | undefined {
  const isFit =
    typeof url === 'string' &&
    /^https:\/\/[^/@]+(?:\/|$)|^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/.test(url)
  return isFit
    ? undefined
    : {
        path: ['public_url'],
        expected: 'the https:// URL of the web UI where people sign in (auth.oidc[].login)',
        actual: typeof url === 'string' ? url.slice(0, 60) : 'missing',
      }
}
