import { appendFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

/** Ends the process whose main thread hangs: what it was doing is noted first. */
const { notes } = workerData as { notes: string }
let timer: NodeJS.Timeout | undefined
parentPort!.on('message', (begun: { id: number; by: string; mostMs: number } | null) => {
  clearTimeout(timer)
  if (begun === null) return
  const { id, by, mostMs } = begun
  timer = setTimeout(() => {
    appendFileSync(notes, `${JSON.stringify({ kind: 'timeout', id, by })}\n`)
    process.kill(process.pid, 'SIGKILL')
  }, mostMs)
})
