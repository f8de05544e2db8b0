import type { Watch } from '../../../models/answers/watch.ts'
import { type Known, type QueryParams, get, useRead } from '../../../web/query.ts'

export const useWatches = (filters: QueryParams | null): Known<{ watches: Watch[] }> =>
  useRead(filters === null ? null : get('v1/watches', { ...filters, limit: 100 }))
