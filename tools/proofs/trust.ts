import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { newKeys, publicKeyOf } from '../../src/rules/keys.ts'
import { verifierKey } from '../../src/features/proofs/rules_note.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { NotHere, inVenv, pythonPackages, run } from './packages.ts'
import { registerBot, withService } from './service.ts'

const PACKAGES = [
  'securesystemslib==1.6.0',
  'cryptography==50.0.2',
  'in-toto-attestation==0.9.3',
  'regopy==1.5.2',
]

const consumer = (name: string): string => fileURLToPath(new URL(`consumers/${name}`, import.meta.url))

/** Programs of others that read what was signed. Returns what they found. */
const PROOFS: Readonly<Record<string, (folder: string) => string>> = {
  python: folder => {
    const python = inVenv(pythonPackages('trust', PACKAGES), 'python')
    run(python, [consumer('trust.py'), folder], { cwd: folder })
    return 'securesystemslib and in-toto read the attestation, and the Rego of examples/admission admits it alone'
  },
  go: folder => {
    copyFileSync(consumer('trust.go.txt'), join(folder, 'main.go'))
    run('go', ['mod', 'init', 'trust'], { cwd: folder })
    try {
      run('go', ['get', 'golang.org/x/mod@v0.42.0'], { cwd: folder, env: { GOFLAGS: '' } })
    } catch (error) {
      throw new NotHere((error as Error).message)
    }
    run('go', ['run', '.', 'log.json'], { cwd: folder, env: { GOFLAGS: '' } })
    return "Go's sumdb reads checkpoints, roots and proofs"
  },
}

const folder = mkdtempSync(join(tmpdir(), 'svc-prove-'))
try {
  await write(folder)
  for (const [name, prove] of Object.entries(PROOFS)) {
    try {
      process.stdout.write(`trust ${name}: ${prove(folder)}\n`)
    } catch (error) {
      if (!(error instanceof NotHere)) process.exitCode = 1
      process.stdout.write(`trust ${name}: ${(error as Error).message}\n`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (spawnSync('python3', ['--version']).status !== 0) process.stdout.write('trust: there is no python3\n')
const { status } = spawnSync('vitest', ['run', 'test/docs/verifiers'], {
  stdio: 'inherit',
  cwd: ROOT_PATH,
})
if (status !== 0) process.exitCode = 1

/** What a service with a key signed, for the programs to read. */
async function write(into: string): Promise<void> {
  const { privatePem, publicPem } = await newKeys()
  writeFileSync(join(into, 'key.pem.pub'), publicPem)
  await withService({ SERVICE_SIGNING_KEY: privatePem }, async url => {
    const client = new ServiceClient(url)
    const { action_id } = await promote(client)
    const path = { action_id: action_id! }
    const before = await client.call('GET /v1/audit/checkpoint')
    const { envelope, statement } = await client.call('GET /v1/actions/{action_id}/attestation', { path })
    writeFileSync(join(into, 'envelope.json'), JSON.stringify(envelope))
    writeFileSync(join(into, 'policy.rego'), rulesFor(statement.predicate.verifier.id))
    await client.setPolicy({ policy_id: 'later' })
    const [after, inclusion, consistency] = [
      await client.call('GET /v1/audit/checkpoint'),
      await client.call('GET /v1/actions/{action_id}/proof', { path }),
      await client.call('GET /v1/audit/consistency', { query: { from: before.size } }),
    ]
    const { entries } = await client.call('GET /v1/audit', { query: { limit: 500 } })
    const log = {
      verifier: await verifierKey(before.origin, await publicKeyOf(publicPem, 'key')),
      checkpoints: [before.note, after.note],
      entries: entries.toReversed().map(({ record_json }) => record_json),
      inclusion,
      consistency,
    }
    writeFileSync(join(into, 'log.json'), JSON.stringify(log))
  })
}

async function promote(client: ServiceClient): Promise<{ action_id: string | null }> {
  const release_id = await registerBot(client, '1')
  return client.promote({ release_id, environment: 'prod', window: '1h', reason: 'first' })
}

/** The rules of the example, for the ledger that there is. */
function rulesFor(ledger: string): string {
  const example = parse(readFileSync(join(ROOT_PATH, 'examples/admission/policy.yaml'), 'utf8')) as {
    spec: { authorities: { attestations: { policy: { data: string } }[] }[] }
  }
  const { data } = example.spec.authorities[0]!.attestations[0]!.policy
  return data.replace(/rgs:\/\/[0-9a-f]{32}/, ledger)
}
