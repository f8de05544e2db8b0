import { signal } from '../signal.ts'
import { change } from '../route.ts'

/** What is to be decided; it is in the URL, so that Back closes the dialog and a link opens it. */
export type Deciding = 'promote' | 'rollback'

export function openDecision(
  what: Deciding,
  agent: string,
  environment: string,
  release = '',
  window = '',
): void {
  change({
    decide: what,
    decide_agent: agent,
    decide_env: environment,
    decide_release: release,
    decide_window: window,
  })
}

export function closeDecision(): void {
  change({ decide: null, decide_agent: null, decide_env: null, decide_release: null, decide_window: null })
}

const drafts = signal<Readonly<Record<string, string>>>({})

/** A reason that is being written: it outlasts a look at the diff, and ends when it is sent. */
export const draftOf = (key: string): string => drafts.value[key] ?? ''

export function setDraft(key: string, text: string): void {
  drafts.value = { ...drafts.value, [key]: text }
}
