import { useState } from 'preact/hooks'
import { type ApiCall, callApi } from './api.ts'
import { refreshAll } from './query.ts'

/** A change that may be refused. */
export interface Attempting {
  /** Why the last attempt failed; empty where it didn't. */
  readonly problem: string
  readonly isSending: boolean
  /** Sends it, and reads anew what is on show; then tells what came back. */
  send<T>(call: ApiCall, then?: (answer: T) => void): Promise<void>
}

export function useAttempt(): Attempting {
  const [problem, setProblem] = useState('')
  const [isSending, setSending] = useState(false)
  async function send<T>(call: ApiCall, then?: (answer: T) => void): Promise<void> {
    setSending(true)
    setProblem('')
    try {
      const answer = await callApi<T>(call)
      refreshAll()
      then?.(answer)
    } catch (error) {
      setProblem((error as Error).message)
    }
    setSending(false)
  }
  return { problem, isSending, send }
}
