import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { copyOf, startService, twoReleases } from '../../support/processes/cli.ts'

const made = await twoReleases()
const ARGS = ['--env', 'local', '--window', '1h', '--reason', 'cheaper'] as const
const hasOpenssl = (() => {
  try {
    return execFileSync('openssl', ['version'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
})()

/** A workspace with a promotion, and keys. */
async function promoted() {
  const workspace = copyOf(made.workspace)
  const { ok } = workspace
  const { action_id } = JSON.parse(
    await ok('release', 'promote', made.baseline, ...ARGS, '--output', 'json'),
  ) as { action_id: string }
  await ok('audit', 'keygen', 'key.pem')
  return { ...workspace, action_id }
}

test('svc audit keygen writes keys that others read, once, for their owner alone', async () => {
  const { svc, path, read } = await promoted()
  expect(statSync(path('key.pem')).mode & 0o777).toBe(0o600)
  const before = read('key.pem')
  const again = await svc('audit', 'keygen', 'key.pem')
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^svc: key\.pem can't be written: /)])
  expect(read('key.pem')).toBe(before)
  if (!hasOpenssl) return
  const theirs = execFileSync('openssl', ['pkey', '-in', path('key.pem'), '-pubout'], { encoding: 'utf8' })
  expect(theirs).toBe(read('key.pem.pub'))
})

test('an attestation is signed, and verified without a ledger', async () => {
  const { svc, ok, write, path, action_id } = await promoted()
  const bare = await svc('release', 'attest', action_id)
  expect(bare.stderr).toMatch(/^svc: not signed; /)
  expect((await svc('release', 'attest', '1')).stdout).toBe(bare.stdout)
  const [, proof] = (await ok('audit', 'prove', action_id)).split('\n')
  expect(await ok('audit', 'prove', '1')).toContain(proof)
  expect(await svc('audit', 'prove', '99')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'svc: Unknown action: there is no audit_seq 99\nsvc: `svc release history` lists actions, each with its number\n',
  })
  const statement = JSON.parse(bare.stdout)
  write('decision.json', await ok('release', 'attest', action_id, '--sign', 'key.pem'))
  const verify = (...args: string[]) =>
    svc('release', 'verify-attestation', 'decision.json', '--key', 'key.pem.pub', ...args)
  const { verifier } = statement.predicate
  const about = ['--agent', 'bot', '--env', 'local', '--path', path('baseline'), '--verifier', verifier.id]
  const verified = await verify(...about)
  expect(verified).toMatchObject({ code: 0, stderr: '' })
  expect(verified.stdout).toMatch(
    /^verified bot@\S+ [0-9a-f]{64}\nPASSED for rgs:\/\/\S+\/agents\/bot\/environments\/local at 20\S+, says rgs:\/\/[0-9a-f]{32}\n$/,
  )
  for (const [option, value, said] of [
    ['--agent', 'other', /^svc: decision\.json: it is about rgs:.*, not --agent other\n$/],
    ['--env', 'prod', /, not --env prod\n$/],
    ['--path', path('candidate'), /it is about the bundle [0-9a-f]{64}, \S+ has [0-9a-f]{64}\n$/],
    ['--verifier', 'rgs://other', /it comes from rgs:\/\/[0-9a-f]{32}, not rgs:\/\/other\n$/],
  ] as const) {
    expect(await verify(option, value)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(said),
    })
  }
  await ok('audit', 'keygen', 'other.pem')
  const other = await svc('release', 'verify-attestation', 'decision.json', '--key', 'other.pem.pub')
  expect([other.code, other.stderr]).toEqual([
    1,
    'svc: decision.json: none of its signatures was made by this key\n',
  ])
  const wrong = await svc('release', 'verify-attestation', 'decision.json', '--key', 'key.pem')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^svc: key\.pem is not a public key/)])
  write('statement.json', statement)
  const unsigned = await svc('release', 'verify-attestation', 'statement.json', '--key', 'key.pem.pub')
  expect([unsigned.code, unsigned.stderr]).toEqual([1, 'svc: statement.json: it is not a DSSE envelope\n'])
})

test('an attestation is about an image too where the signer says so', async () => {
  const { svc, ok, action_id } = await promoted()
  const subject = `registry.example/bot@sha256:${'a'.repeat(64)}`
  const envelope = JSON.parse(
    await ok('release', 'attest', action_id, '--sign', 'key.pem', '--subject', subject),
  )
  const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
  expect(statement.subject[1]).toEqual({ name: 'registry.example/bot', digest: { sha256: 'a'.repeat(64) } })
  const refused = await svc('release', 'attest', action_id, '--subject', 'registry.example/bot:latest')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^svc: --subject must be NAME@sha256:/),
  ])
})

test('a blocked promotion has an attestation that does not verify', async () => {
  const { svc, ok, write } = await promoted()
  write('strict.yaml', { policy_id: 'strict', max_cost_per_run_usd: 0.1 })
  await ok('policy', 'set', 'strict.yaml')
  const { stdout } = await svc('release', 'promote', made.candidate, ...ARGS, '--output', 'json')
  write(
    'blocked.json',
    await ok('release', 'attest', JSON.parse(stdout).action_id as string, '--sign', 'key.pem'),
  )
  const verified = await svc('release', 'verify-attestation', 'blocked.json', '--key', 'key.pem.pub')
  expect([verified.code, verified.stderr]).toEqual([
    1,
    'svc: blocked.json: the policy did not pass: FAILED\n',
  ])
})

test('a server with SERVICE_SIGNING_KEY signs, and refuses to start with one that is none', async () => {
  const workspace = await promoted()
  const { svcWith, write, path, action_id } = workspace
  const service = await startService(workspace, { env: { SERVICE_SIGNING_KEY: path('key.pem') } })
  const signed = await svcWith({ env: { SERVICE_URL: service.url } }, 'release', 'attest', action_id)
  expect([signed.code, signed.stderr]).toEqual([0, ''])
  write('decision.json', signed.stdout)
  const args = ['release', 'verify-attestation', 'decision.json', '--key', 'key.pem.pub']
  expect((await svcWith({}, ...args)).code).toBe(0)
  write('odd.pem', 'no key')
  const odd = await svcWith({ env: { SERVICE_SIGNING_KEY: 'odd.pem' } }, 'serve', '--port', '0')
  expect([odd.code, odd.stderr]).toEqual([
    1,
    expect.stringMatching(/^svc: odd\.pem is not a private key in PEM/m),
  ])
})
