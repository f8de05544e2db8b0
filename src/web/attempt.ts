import { useState } from 'preact/hooks'
import { refreshAll } from './query.ts'

/** A change that may be refused. */
export interface Attempting {
  /** Why the last attempt failed; empty where it didn't. */
  readonly problem: string
  readonly isSending: boolean
  /** Tries it, and reads again what is on show: what failed may have been done nevertheless. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>
}

export function useAttempt(): Attempting {
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  async function attempt(work: () => Promise<void>): Promise<void> {
    setSending(true)
    setProblem('')
    try {
      await work()
    } catch (error) {
      setProblem((error as Error).message)
    }
    refreshAll()
    setSending(false)
  }
  return { problem, isSending, attempt }
}
