import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { useDoctor } from '../../reads.ts'

/** Verifies every link of the chain on demand: that reads the whole ledger. */
export function ChainStatus() {
  const [asked, setAsked] = useState(false)
  const { data, error, loading } = useDoctor(asked)
  if (!asked) {
    return (
      <button type="button" class="button" onClick={() => setAsked(true)}>
        Verify the chain
      </button>
    )
  }
  const failed = data?.checks.filter(check => !check.ok) ?? []
  return (
    <div class="chain" role="status">
      {loading && data === undefined && 'Verifying…'}
      {error !== undefined && <Badge tone="warn">not verified: {error.message}</Badge>}
      {data?.ok === true && <Badge tone="ok">chain holds, all checks passed</Badge>}
      {failed.map(({ name, detail }) => (
        <Badge key={name} tone="bad">
          <bdi>
            {name}: {detail}
          </bdi>
        </Badge>
      ))}
    </div>
  )
}
