import type { ReleaseCapabilities } from '../../features/capabilities/models.ts'
import { Badge } from '../ui/badge.tsx'
import { Note } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Column, Facts, Table } from '../ui/table.tsx'
import { Id, Time, Words } from '../ui/text.tsx'
import { count, counted } from '../format.ts'
import { type Known as Read, get, useRead } from '../query.ts'

/** The capabilities of a release. */
const useCapabilities = (id: string): Read<ReleaseCapabilities> =>
  useRead<ReleaseCapabilities>(get(`v1/releases/${encodeURIComponent(id)}/capabilities`), 60_000)

/** Capabilities of a release, and undeclared tools and models of its runs. */
export function Capabilities({ releaseId: id }: { releaseId: string }) {
  const capabilities = useCapabilities(id)
  return (
    <Section title="Capabilities">
      <Loaded known={capabilities} lines={4}>
        {known => <Known known={known} />}
      </Loaded>
    </Section>
  )
}

function Known({ known }: { known: ReleaseCapabilities }) {
  const { capabilities, capabilities_sha256, warnings, undeclared, more_undeclared: more } = known
  const tools = capabilities.tools?.slice(0, MOST_SHOWN)
  return (
    <>
      {warnings.map(warning => (
        <Note key={warning}>
          <Words>{warning}</Words>
        </Note>
      ))}
      <Facts
        facts={{
          Models: capabilities.models.map(modelText).join(', '),
          'MCP servers': versionedNames(capabilities.mcp_servers),
          Agents: versionedNames(
            capabilities.agents.map(({ agent_id: name, version }) => ({ name, version })),
          ),
          'SHA-256': <Id value={capabilities_sha256} short />,
        }}
      />
      {tools === undefined ? (
        <p class="faint">
          The release does not say which tools it has. <code>spec.tools.tool_names</code> or{' '}
          <code>spec.capabilities</code> of release.yaml does, and{' '}
          <code>svc release capabilities capture</code> writes it.
        </p>
      ) : tools.length === 0 ? (
        <p class="faint">It calls no tools.</p>
      ) : (
        <Table caption="Tools" columns={TOOLS} rows={tools} keyOf={toolKey} />
      )}
      {(capabilities.tools?.length ?? 0) > MOST_SHOWN && (
        <p class="faint">
          The first {MOST_SHOWN} of {counted(capabilities.tools!.length, 'tool')}.
        </p>
      )}
      {undeclared.length > 0 && (
        <div class="undeclared">
          <h3>Used, but not declared</h3>
          <Table
            caption="Tools and models that runs used and the release does not declare"
            columns={UNDECLARED}
            rows={undeclared}
            keyOf={({ environment, kind, name }) => JSON.stringify([environment, kind, name])}
          />
          {more > 0 && <p class="faint">And {counted(more, 'further name')}.</p>}
        </div>
      )}
    </>
  )
}

/** Tools that are put on the page at once. */
const MOST_SHOWN = 200

type Tool = NonNullable<ReleaseCapabilities['capabilities']['tools']>[number]

function modelText({ provider, model, role }: ReleaseCapabilities['capabilities']['models'][number]): string {
  return `${provider} / ${model}${role === 'fallback' ? ' (fallback)' : ''}`
}

/** Null where there are none, which is not shown. */
function versionedNames(
  all: readonly { readonly name: string; readonly version: string | null }[],
): string | null {
  return all.map(({ name, version }) => (version === null ? name : `${name} ${version}`)).join(', ') || null
}

function toolKey({ server, name }: Tool): string {
  return JSON.stringify([server, name])
}

const NOT_DECLARED = <span class="faint">not declared</span>

const TOOLS: readonly Column<Tool>[] = [
  { label: 'Tool', cell: ({ name }) => name },
  {
    label: 'MCP server',
    cell: ({ server }) => server ?? <span class="faint">the agent's own</span>,
  },
  {
    label: 'Effects',
    cell: ({ effects }) =>
      effects === null ? NOT_DECLARED : effects.length === 0 ? 'none' : effects.join(', '),
  },
  {
    label: 'Scopes',
    kind: 'grow',
    cell: ({ scopes }) => (scopes === null ? NOT_DECLARED : scopes.length === 0 ? 'none' : scopes.join(', ')),
  },
  { label: 'Version', minor: true, cell: ({ version }) => version ?? <span class="faint">none</span> },
]

const UNDECLARED: readonly Column<ReleaseCapabilities['undeclared'][number]>[] = [
  { label: 'Name', kind: 'grow', cell: ({ name }) => (name === '' ? <em>other names</em> : name) },
  { label: 'Kind', cell: ({ kind }) => <Badge tone="warn">{kind}</Badge> },
  { label: 'Environment', cell: ({ environment }) => environment },
  { label: 'Runs', kind: 'number', cell: ({ runs }) => count(runs) },
  { label: 'Calls', kind: 'number', cell: ({ calls }) => count(calls) },
  { label: 'Last hour', cell: ({ last_hour }) => <Time at={last_hour} /> },
]
