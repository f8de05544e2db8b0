import type { ReleaseDetail } from '../../models/documents/release.ts'
import { Badge } from '../ui/badge.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Raw, Words } from '../ui/text.tsx'
import { useInOrder } from '../environments.ts'
import { useBoard, useRelease } from '../reads.ts'
import { href } from '../route.ts'
import { settingsOf } from './changed.tsx'
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
        <a href={href('runs', { release: release_id, env: environment, window: '7d' })}>Runs</a>
        <a href={href('log', { agent: agent_id, kind: 'decision' })}>Decisions</a>
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
      <Capabilities releaseId={release_id} />
      <Raw value={release} />
    </>
  )
}

/** What release.yaml says. */
function Manifest({ release: { artifact_json: artifact } }: { release: ReleaseDetail }) {
  const { provider, pricing_version: version } = artifact.spec.pricing_reference
  return (
    <Section
      title="Manifest"
      aside={
        <a href={href('settings', { part: 'prices', provider, version })}>
          Prices <Words>{`${provider} / ${version}`}</Words>
        </a>
      }
    >
      <Facts facts={settingsOf(artifact)} />
    </Section>
  )
}
