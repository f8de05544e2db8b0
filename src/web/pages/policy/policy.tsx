import { whyNoChanges } from '../../access.ts'
import { PageHead, Section } from '../../components/page.tsx'
import { Raw } from '../../components/raw.tsx'
import { Loaded } from '../../components/states.tsx'
import { usePolicy, useWorkspace } from '../../reads.ts'
import { change, param } from '../../route.ts'
import { PolicyEditor } from './editor.tsx'
import { PolicyFacts } from './facts.tsx'
import { History } from './history.tsx'
import { Overrides } from './overrides.tsx'
import { Prices } from './prices.tsx'

/** What decisions are judged and priced by, since when, and what else it could be. */
export function PolicyPage() {
  const policy = usePolicy()
  return (
    <>
      <PageHead title="Policy and pricing" about="What candidates are judged and priced by.">
        <button
          type="button"
          class="button primary"
          title={whyNoChanges.value}
          disabled={policy.data === undefined}
          onClick={() => change({ edit: 'fields' })}
        >
          Edit the policy…
        </button>
      </PageHead>
      <Loaded known={policy} lines={8}>
        {current => (
          <>
            <Section title="In force">
              <PolicyFacts policy={current} />
              <Workspace />
              <Raw value={current} />
            </Section>
            <Overrides policy={current} />
            {param('edit') !== '' && <PolicyEditor current={current} />}
          </>
        )}
      </Loaded>
      <History />
      <Prices />
    </>
  )
}

/** What service.yaml says besides. */
function Workspace() {
  const workspace = useWorkspace().data
  if (workspace === undefined) return null
  return (
    <p class="faint">
      Promotions{' '}
      {workspace.promotion_requires_approval ? 'take a request and a confirmation' : 'need no approval'};{' '}
      {workspace.pricing_catalog_configured
        ? 'a pricing catalog is configured'
        : 'no pricing catalog is configured'}
      .
    </p>
  )
}
