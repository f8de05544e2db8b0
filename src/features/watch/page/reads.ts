import type { WatchDetail } from '../../../models/answers/watch.ts'
import { type Known, get, useRead } from '../../../web/query.ts'

/** One watch with its last looks. */
export const useWatch = (id: string): Known<WatchDetail> =>
  useRead(get(`v1/watches/${encodeURIComponent(id)}`))
