import { parentPort, workerData } from 'node:worker_threads'
import { type Probed, probe } from './flood.ts'

const { url, bare, attacked } = workerData as Readonly<Record<'url' | 'bare', string>> & {
  readonly attacked?: string
}
const times = (): number[] => []
const seen = { statuses: new Set<number>(), health: times(), bare: times(), attacked: times() }
const state: { urls: readonly string[]; isOver: boolean } = { urls: [url], isOver: false }
parentPort!.on('message', (urls: readonly string[] | 'end') => {
  if (urls === 'end') state.isOver = true
  else state.urls = urls
})
for (let turn = 0; !state.isOver || seen.bare.length < 10; turn++) {
  const probed = state.urls[turn % state.urls.length]!
  const found = await probe(probed).catch((error: unknown) => {
    // One that was to be killed meanwhile need not answer.
    if (state.urls.includes(probed)) throw error
  })
  if (found !== undefined) {
    seen.statuses.add(found.status)
    seen.health.push(found.ms)
  }
  seen.bare.push((await probe(bare)).ms)
  if (attacked !== undefined) seen.attacked.push((await probe(attacked)).ms)
}
parentPort!.postMessage({ ...seen, statuses: [...seen.statuses] } satisfies Probed)
parentPort!.close()
