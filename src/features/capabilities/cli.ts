import { call, list } from '../../cli/service/run.ts'
import type { Acknowledgement, ReleaseCapabilities } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { powerLines } from '../../cli/release/power_text.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { fetchRelease } from '../../cli/release/release.ts'
import { callJson, goodJson } from '../../cli/service/api.ts'
import { confirmed, warn } from '../../cli/terminal/io.ts'
import { type Column, table, timeColumn } from '../../cli/terminal/table.ts'
import { count, pretty, safe } from '../../cli/terminal/text.ts'
import { LIMIT, ANSWER, LISTED, PLACE, IN_ENV, REASON } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

const TOOLS: readonly Column<NonNullable<ReleaseCapabilities['capabilities']['tools']>[number]>[] = [
  { heading: 'tool', cell: row => row.name },
  { heading: 'server', cell: row => row.server },
  { heading: 'version', cell: row => row.version },
  { heading: 'effects', cell: row => namesText(row.effects) },
  { heading: 'scopes', cell: row => namesText(row.scopes) },
  { heading: 'schema', cell: row => row.schema_sha256?.slice(0, 12) ?? null },
]

const UNDECLARED: readonly Column<ReleaseCapabilities['undeclared'][number]>[] = [
  { heading: 'name', cell: row => row.name || '(other names)' },
  { heading: 'kind', cell: row => row.kind },
  { heading: 'environment', cell: row => row.environment },
  { heading: 'runs', cell: row => row.runs, right: true },
  { heading: 'calls', cell: row => row.calls, right: true },
  timeColumn('last hour', row => row.last_hour),
]

/** `svc release capabilities` and `acknowledge` */
export const COMMANDS = commands({
  'release capabilities <RELEASE_ID>': {
    summary: 'Show the capabilities of a release, and undeclared tools and models of its runs',
    options: ANSWER,
    example: 'svc release capabilities rel_0123456789ab',
    run: call('GET /v1/releases/{release_id}/capabilities', {
      takes: async ({ args, io, api }) => ({ release_id: await releaseId(args[0]!, await api(), io) }),
      text: capabilitiesText,
    }),
  },
  'release acknowledge <RELEASE_ID>': {
    summary: 'Approve new capabilities of a release, which the policy blocks',
    options: {
      ...IN_ENV,
      ...REASON,
      '--expect <RELEASE_ID>': 'Approve only if this release is live; otherwise exit 1',
      '--yes': 'Approve without showing the difference and asking',
      ...ANSWER,
    },
    example: 'svc release acknowledge rel_0123456789ab --env prod --reason "mail is reviewed"',
    run: acknowledge,
  },
  'release acknowledgements': {
    summary: 'List approvals of capabilities, newest first',
    options: { ...PLACE, ...LIMIT, ...LISTED },
    example: 'svc release acknowledgements --env prod',
    run: list('GET /v1/acknowledgements', 'acknowledgements', [
      { heading: 'acknowledgement', cell: row => row.acknowledgement_id, whole: true, rank: 9 },
      { heading: 'agent', cell: row => row.agent_id },
      { heading: 'environment', cell: row => row.environment },
      { heading: 'release', cell: row => row.release_id, whole: true },
      { heading: 'against', cell: row => row.baseline_release_id, whole: true },
      { heading: 'wider', cell: row => row.widened, right: true },
      { heading: 'by', cell: row => row.actor },
      timeColumn('at', row => row.created_at),
      { heading: 'reason', cell: row => row.reason, rank: 8 },
    ]),
  },
})

function capabilitiesText(answer: ReleaseCapabilities, { io }: Invocation): string {
  const { capabilities, capabilities_sha256, undeclared, more_undeclared: more } = answer
  warn(answer, io)
  const models = capabilities.models.map(({ provider, model, role }) => `${provider}/${model} (${role})`)
  return [
    `capabilities ${capabilities_sha256}\n`,
    `models  ${safe(models.join(', '))}\n`,
    capabilities.agents.length === 0
      ? ''
      : `agents  ${safe(capabilities.agents.map(versioned).join(', '))}\n`,
    capabilities.tools === null
      ? 'tools   not declared (spec.tools.tool_names or spec.capabilities)\n'
      : `\n${table(TOOLS, capabilities.tools, io)}`,
    undeclared.length === 0 ? '' : `\nUsed, and not declared:\n\n${table(UNDECLARED, undeclared, io)}`,
    more === 0 ? '' : `and ${count(more)} more\n`,
  ].join('')
}

function versioned({ agent_id, version }: ReleaseCapabilities['capabilities']['agents'][number]): string {
  return version === null ? agent_id : `${agent_id} ${version}`
}

const namesText = (names: readonly string[] | null): string =>
  names === null ? 'not declared' : names.join(', ') || 'none'

/** Shows how the release differs from the live one, asks, and acknowledges just that. */
async function acknowledge({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const environment = options.required('env')
  const release_id = await releaseId(args[0]!, opened, io, environment)
  const given = options.text('expect')
  let expected = given === undefined ? undefined : await releaseId(given, opened, io, environment)
  if (options.flag('yes') !== true) {
    const { agent_id } = await fetchRelease(opened, release_id)
    const gate = await callJson(opened, 'GET /v1/gate/{agent_id}/{environment}', {
      path: { agent_id, environment },
      query: {
        release_id,
        window: '1h',
        ...(expected === undefined ? {} : { baseline_release_id: expected }),
      },
    })
    expected ??= gate.baseline_release_id ?? undefined
    io.err(powerLines(gate.capabilities))
    if (gate.capabilities !== undefined && !(await confirmed('Acknowledge this?', io))) {
      io.err('svc: nothing was acknowledged\n')
      return 1
    }
  }
  const answer = await opened.send('POST /v1/acknowledgements', {
    body: {
      release_id,
      environment,
      reason: options.required('reason'),
      ...(expected === undefined ? {} : { expected_baseline_release_id: expected }),
    },
  })
  const made = goodJson<Acknowledgement>(answer)
  io.out(options.json ? pretty(made) : `${made.acknowledgement_id}\n`)
  if (made.reused === true) io.err('svc: you acknowledged this before; nothing was written\n')
  return 0
}
