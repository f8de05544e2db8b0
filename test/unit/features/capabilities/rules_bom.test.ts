import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { expect, test } from 'vitest'
import { bomOf } from '../../../../src/features/capabilities/rules_bom.ts'
import type { Capabilities } from '../../../../src/models/documents/capabilities.ts'
import { powerOf } from '../../../../src/rules/power.ts'
import { releaseOf } from '../../../support/services/builders.ts'

/** The library of CycloneDX itself, with its schema of 1.6 and nothing beyond it. */
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)

const HOSTILE = 'x"<script>\u202e/../💣'

test.for<readonly [string, Capabilities | undefined]>([
  ['a release that says nothing of tools', undefined],
  ['one that calls none', { tools: [] }],
  [
    'one with everything that capabilities may have',
    {
      tools: [
        {
          name: 'send_mail',
          version: '2',
          effects: ['sends'],
          scopes: ['mail.send'],
          schema_sha256: '1'.repeat(64),
        },
        { name: 'search' },
      ],
      mcp_servers: [
        { name: 'tickets', version: '1.4.0', tools: [{ name: 'search', effects: [], scopes: [] }] },
        { name: 'bare', tools: [] },
      ],
      agents: [{ agent_id: 'researcher' }, { agent_id: 'writer', version: '3' }],
      models: [{ model: 'm1', provider: 'elsewhere' }, { model: 'm9' }],
    },
  ],
  [
    'names that clash with each other and with the syntax',
    {
      tools: [{ name: 'a/b' }, { name: HOSTILE, scopes: [HOSTILE] }],
      mcp_servers: [
        { name: 'a', tools: [{ name: 'b' }] },
        { name: HOSTILE, tools: [{ name: HOSTILE }] },
      ],
      agents: [{ agent_id: HOSTILE, version: HOSTILE }],
      models: [
        { model: 'b/c', provider: 'a' },
        { model: 'c', provider: 'a/b' },
      ],
    },
  ],
])(
  'the bill of materials of %s is CycloneDX 1.6, and each of its parts has a name of its own',
  async ([, capabilities]) => {
    const artifact = releaseOf({})
    const bom = bomOf({
      release_id: 'rel_0123456789ab',
      checksum: 'a'.repeat(64),
      created_at: '2026-01-31T12:00:00.000Z',
      artifact,
      power: powerOf(artifact, capabilities),
      capabilities_sha256: 'b'.repeat(64),
      files: [{ path: 'prompts/system.md', sha256: 'c'.repeat(64) }],
    })
    const text = JSON.stringify({ ...bom, serialNumber: 'urn:uuid:3e671687-395b-81f5-8a30-a58921a69b79' })
    expect(await validator.validate(text)).toBeNull()
    const refs = [...text.matchAll(/"bom-ref":("(?:[^"\\]|\\.)*")/g)].map(([, ref]) => ref)
    expect(refs.length).toBeGreaterThan(1)
    expect(new Set(refs).size).toBe(refs.length)
  },
)

test('the validator refuses what is not CycloneDX', async () => {
  expect(
    await validator.validate(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', parts: [] })),
  ).not.toBeNull()
})
