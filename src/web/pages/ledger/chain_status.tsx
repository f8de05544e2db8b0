import { Badge } from '../../components/badge.tsx'
import { exactTime, zone } from '../../format.ts'
import { useDoctor } from '../../reads.ts'

/** Verifies every link of the chain on demand: that reads the whole ledger. */
export function ChainStatus({
  isAsked,
  onAsk,
  head,
}: {
  isAsked: boolean
  onAsk: () => void
  /** Hash of the newest action, where it is on show. */
  head: string | undefined
}) {
  const { data, error, loading, at } = useDoctor(isAsked)
  if (!isAsked) {
    return (
      <button type="button" class="button" onClick={onAsk}>
        Verify the chain
      </button>
    )
  }
  const failed = data?.checks.filter(check => !check.ok) ?? []
  const chain = data?.checks.find(({ name }) => name.startsWith('audit_chain'))
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
      {data !== undefined && at !== undefined && (
        <p class="hint figures">
          {chain?.ok === true && `${chain.detail}, `}
          {head !== undefined && (
            <>
              head <code title={head}>{head.slice(0, 12)}</code>,{' '}
            </>
          )}
          at {exactTime(at)} {zone(at)}
        </p>
      )}
    </div>
  )
}
