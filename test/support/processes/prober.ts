import { parentPort, workerData } from 'node:worker_threads'
import { type Probed, probe } from './flood.ts'

const { url, bare } = workerData as { readonly url: string; readonly bare: string }
const seen = { statuses: new Set<number>(), health: [] as number[], bare: [] as number[] }
const state = { isOver: false }
parentPort!.once('message', () => (state.isOver = true))
while (!state.isOver || seen.bare.length < 10) {
  const { status, ms } = await probe(url)
  seen.statuses.add(status)
  seen.health.push(ms)
  seen.bare.push((await probe(bare)).ms)
}
parentPort!.postMessage({ ...seen, statuses: [...seen.statuses] } satisfies Probed)
