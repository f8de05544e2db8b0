import type { ActionRecord } from '../../models/answers/action.ts'
import type { ReleaseDetail } from '../../models/documents/release.ts'
import { Badge, ResultBadge } from '../ui/badge.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Column, Facts, Table } from '../ui/table.tsx'
import { ExactTime, Id, Raw, Time, Words } from '../ui/text.tsx'
import { useInOrder } from '../environments.ts'
import { RATES, rate } from '../format.ts'
import { useActions, useBoard, usePricingTable, useRelease } from '../reads.ts'
import { href } from '../route.ts'
import { Capabilities } from './capabilities.tsx'
import { placeLink } from './comparison.ts'

/** What a release is made of, what it may do, what it costs, and what was decided about it. */
export function ReleaseSheet({ id }: { id: string }) {
  return (
    <Loaded known={useRelease(id)} lines={10}>
      {detail => <Detail release={detail} />}
    </Loaded>
  )
}

function Detail({ release }: { release: ReleaseDetail }) {
  const { release_id, agent_id, version, environment, created_at, artifact_json: artifact } = release
  const places = useBoard().data?.board.filter(entry => entry.agent_id === agent_id) ?? []
  const isLive = ({ promoted }: (typeof places)[number]): boolean => promoted?.release_id === release_id
  const liveIn = useInOrder()(places.filter(isLive).map(entry => entry.environment))
  return (
    <>
      <h3>
        <Words>{agent_id}</Words> <Words>{version}</Words>
      </h3>
      <p>
        <Words>{artifact.metadata.description ?? artifact.metadata.name}</Words>
      </p>
      <div class="actions">
        <a class="button" href={placeLink(release, { candidate: release_id })}>
          Compare it with what is live
        </a>
        <RunsLink release={release} />
      </div>
      <Facts
        facts={{
          Release: <Id value={release_id} />,
          'Live in':
            liveIn.length === 0
              ? 'no environment'
              : liveIn.map(name => (
                  <Badge key={name} tone="ok">
                    <bdi>{name}</bdi>
                  </Badge>
                )),
          Registered: <ExactTime at={created_at} />,
          'Registered for': environment,
          Checksum: <Id value={release.checksum} short />,
        }}
      />
      <Manifest release={release} />
      <Price release={release} />
      <Capabilities releaseId={release_id} />
      <History release={release} />
      <Raw value={release} />
    </>
  )
}

function RunsLink({ release: { release_id, environment } }: { release: ReleaseDetail }) {
  return <a href={href('runs', { release: release_id, env: environment, window: '7d' })}>Runs</a>
}

function Manifest({ release: { artifact_json: artifact } }: { release: ReleaseDetail }) {
  const { metadata, spec } = artifact
  const { runtime, prompts, tools, routing, safety } = spec
  return (
    <Section title="Manifest">
      <Facts
        facts={{
          Name: metadata.name,
          'Made by': metadata.created_by,
          Model: `${runtime.provider} / ${runtime.model}`,
          Temperature: runtime.temperature?.toString(),
          'Output tokens': runtime.max_output_tokens == null ? null : `${runtime.max_output_tokens} at most`,
          'Entry point': spec.agent.entrypoint,
          'System prompt': prompts?.system_ref,
          Templates: prompts?.template_refs?.join(', '),
          Tools: tools?.tool_names?.join(', '),
          Fallback: routing?.fallback?.model,
          Retries: safety?.retry_policy?.max_retries?.toString(),
          ...Object.fromEntries(Object.entries(artifact.tags ?? {}).map(([key, tag]) => [`Tag ${key}`, tag])),
        }}
      />
    </Section>
  )
}

function Price({ release: { artifact_json: artifact } }: { release: ReleaseDetail }) {
  const { provider, pricing_version } = artifact.spec.pricing_reference
  const table = usePricingTable(provider, pricing_version)
  return (
    <Section
      title="Pricing"
      aside={
        <a href={href('settings', { part: 'prices', provider, version: pricing_version })}>
          <Words>{`${provider} / ${pricing_version}`}</Words>
        </a>
      }
    >
      <Loaded known={table} lines={3}>
        {({ entries }) => {
          const entry = entries.find(({ model }) => model === artifact.spec.runtime.model)
          if (entry === undefined)
            return <p>The table has no price for this model: a diff will refuse its runs.</p>
          return (
            <Facts
              facts={Object.fromEntries(
                RATES.map(([label, name]) => [
                  label,
                  entry[name] == null ? 'none' : `${rate(entry[name])} per 1k tokens`,
                ]),
              )}
            />
          )
        }}
      </Loaded>
    </Section>
  )
}

const MOST_SEARCHED = 500

const HISTORY: readonly Column<ActionRecord>[] = [
  { label: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Action',
    cell: ({ action, action_id }) => <a href={href('log', { action: action_id })}>{action}</a>,
  },
  { label: 'Environment', cell: ({ environment }) => environment },
  {
    label: 'Verdict',
    cell: ({ result }) => <ResultBadge result={result} />,
  },
  { label: 'By', cell: ({ actor }) => actor },
  { label: 'Reason', kind: 'grow', cell: ({ reason }) => reason },
]

function History({ release: { release_id, agent_id } }: { release: ReleaseDetail }) {
  const actions = useActions({ agent: agent_id, limit: MOST_SEARCHED })
  return (
    <Section title="History">
      <Loaded known={actions} lines={3}>
        {page => {
          const mine = page.actions.filter(action => action.release_id === release_id)
          return (
            <>
              {mine.length === 0 ? (
                <p class="faint">Nothing was decided about this release yet.</p>
              ) : (
                <Table
                  caption="Decisions about this release"
                  columns={HISTORY}
                  rows={mine}
                  keyOf={action => action.action_id}
                />
              )}
              {page.next_after !== null && (
                <p class="faint">Of the agent's newest {MOST_SEARCHED} decisions; the ledger has them all.</p>
              )}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}
