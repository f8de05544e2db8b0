import { useState } from 'preact/hooks'
import { download } from '../../api.ts'
import { get } from '../../query.ts'
import { save } from '../../save.ts'

/** Most events that the service exports at once. */
const MOST_EXPORTED = 500

/** Saves the runs that match as NDJSON, from the place of this page on. */
export function DownloadRuns({ query }: { query: Readonly<Record<string, string | number>> }) {
  const [problem, setProblem] = useState('')
  async function saveRuns(): Promise<void> {
    setProblem('')
    try {
      const { path } = get('v1/runs/export', { ...query, limit: MOST_EXPORTED })
      save(await download(path), `runs-${query.release_id}-${query.offset ?? 0}.ndjson`)
    } catch (error) {
      setProblem((error as Error).message)
    }
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
        onClick={() => void saveRuns()}
      >
        Download NDJSON
      </button>
    </>
  )
}
