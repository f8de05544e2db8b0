import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A way to a port that a partition cuts. */
export interface Link {
  /** The port of 127.0.0.1 that leads there. */
  readonly port: number
  /** Nothing passes from now on, and nobody is informed: connections stay open, as where a cable is pulled. */
  cut(): void
  /** What was sent meanwhile is lost, and so are its connections. */
  mend(): void
  close(): Promise<unknown>
}

/** It has a thread of its own, so that it goes on while this one waits for a program. */
export async function linkTo(target: number): Promise<Link> {
  const worker = new Worker(new URL('link_thread.ts', import.meta.url), { workerData: target })
  const [port] = (await once(worker, 'message')) as [number]
  return {
    port,
    cut: () => worker.postMessage('cut'),
    mend: () => worker.postMessage('mend'),
    close: () => worker.terminate(),
  }
}
