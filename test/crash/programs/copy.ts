import { copyBetween } from '../../../src/features/copy/jobs.ts'
import { readEnvironment } from '../../../src/runtime/environment.ts'
import { acknowledge, input } from './support.ts'

/** Copies a ledger to another place, as `svc ledger copy` does, and prints a line as often as it gets ahead. */
const { from, to, folder } = input<{ from: string; to: string; folder: string }>()
await copyBetween({
  from,
  to,
  folder,
  environment: readEnvironment({}),
  log: () => {},
  onProgress: step => acknowledge({ step }),
})
acknowledge({ copied: true })
