import { download, save } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { type QueryParams, get } from '../../query.ts'

/** Most events that the service exports at once. */
const MOST_EXPORTED = 500

/** Saves the runs that match as NDJSON, from the place of this page on. */
export function DownloadRuns({ query }: { query: QueryParams }) {
  const { problem, attempt } = useAttempt()
  async function saveRuns(): Promise<void> {
    const { path } = get('v1/runs/export', { ...query, limit: MOST_EXPORTED })
    save(await download(path), `runs-${query.release_id}-${query.offset ?? 0}.ndjson`)
  }
  return (
    <>
      <span class="problem" role="alert">
        {problem}
      </span>
      <button
        type="button"
        class="button"
        title={`At most ${MOST_EXPORTED} at once, from this page on`}
        onClick={() => void attempt(saveRuns)}
      >
        Download NDJSON
      </button>
    </>
  )
}
