import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { usePolicy, useWorkspace } from '../reads.ts'
import { change, param } from '../route.ts'
import { PolicyEditor } from './editor.tsx'
import { PolicyFacts } from './facts.tsx'
import { type Known, get, useRead } from '../query.ts'
import type { ResolvedPolicy } from '../../models/answers/resolved_policy.ts'
import type { Override, Policy } from '../../models/documents/policy.ts'
import { Badge } from '../ui/badge.tsx'
import { PlaceFilters } from '../ui/place.tsx'
import { type Column, Facts, Table } from '../ui/table.tsx'
import { Raw, Words } from '../ui/text.tsx'
import { keysOf, placeOf } from './changes.tsx'
import { fieldOf } from './fields.ts'
import { Button } from '../ui/button.tsx'

/** What decisions are judged by, and what else it could be. */
export function PolicyPart() {
  return (
    <Loaded known={usePolicy()} lines={8}>
      {current => (
        <>
          <Section
            title="In force"
            aside={
              <Button kind="primary" changes onClick={() => change({ edit: 'fields' })}>
                Edit the policy…
              </Button>
            }
          >
            <PolicyFacts policy={current} />
            <Workspace />
            <Raw value={current} />
          </Section>
          <Overrides policy={current} />
          {param('edit') !== '' && <PolicyEditor current={current} />}
        </>
      )}
    </Loaded>
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
      . How many runs confidence takes is set in service.yaml, unless the policy sets it.
    </p>
  )
}

/** What holds for some agents or environments instead, and what that makes of one place. */
function Overrides({ policy: { overrides = [] } }: { policy: Policy }) {
  const [agent, environment] = [param('agent'), param('env')]
  return (
    <Section title="Overrides" aside={<code>svc policy show --agent A --env E</code>}>
      {overrides.length === 0 ? (
        <p class="faint">None: the policy holds for every agent in every environment.</p>
      ) : (
        <Table caption="Overrides" columns={COLUMNS} rows={overrides} keyOf={placeOf} />
      )}
      <h3 class="apart">What holds in one place</h3>
      <div class="fields pickers">
        <PlaceFilters placeholder="name one" />
      </div>
      {environment !== '' && <Resolved agent={agent} environment={environment} />}
    </Section>
  )
}

const COLUMNS: readonly Column<Override>[] = [
  { label: 'Agents', cell: ({ agent_id }) => agent_id ?? 'all' },
  { label: 'Environments', cell: ({ environment }) => environment ?? 'all' },
  { label: 'What holds instead', kind: 'grow', cell: override => keysOf(override).join('; ') },
]

function Resolved({ agent, environment }: { agent: string; environment: string }) {
  return (
    <Loaded known={useResolvedPolicy(agent, environment)} lines={8}>
      {resolved => (
        <>
          <PolicyFacts policy={resolved.policy as Policy} />
          <Facts
            facts={{
              ...Object.fromEntries(
                resolved.rules.map(rule => [`From override ${rule.override + 1}`, ruleText(rule)] as const),
              ),
              'Promoted from': resolved.promotes_from === null ? null : promotesFrom(resolved.promotes_from),
              Frozen:
                resolved.freeze.length === 0 ? null : (
                  <div class="stack">
                    {resolved.freeze.map(({ from, to, reason, time_zone = 'UTC', holds_now }) => (
                      <span key={from + to}>
                        <Words>{`${from} to ${to} (${time_zone}): ${reason}`}</Words>{' '}
                        {holds_now && <Badge tone="warn">now</Badge>}
                      </span>
                    ))}
                  </div>
                ),
            }}
          />
        </>
      )}
    </Loaded>
  )
}

function ruleText(rule: ResolvedPolicy['rules'][number]): string {
  return `${placeOf(rule)}: ${rule.keys.map(key => fieldOf(key)?.label ?? key).join(', ')}`
}

function promotesFrom({ environment, live_for }: NonNullable<ResolvedPolicy['promotes_from']>): string {
  return live_for === undefined ? environment : `${environment}, live there for ${live_for}`
}

const useResolvedPolicy = (agent_id: string, environment: string): Known<ResolvedPolicy> =>
  useRead(environment === '' ? null : get('v1/policy/resolved', { agent_id, environment }), 60_000)
