import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleChecksum, findBundle } from '../../src/cli/release/bundle.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { makeWorkspace, startService } from '../support/processes/cli.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const DOC = readFileSync(join(ROOT_PATH, 'docs/project/checksum.md'), 'utf8')
const [FILES, REGISTER] = [...DOC.matchAll(/```sh\n([^]*?)```/g)].map(match => match[1]!) as [string, string]
const PROGRAM = /```py\n([^]*?)```/.exec(DOC)![1]!
const CHECKSUM = /^ {4}([0-9a-f]{64})$/m.exec(DOC)![1]!

const hasPython = spawnSync('python3', ['--version']).status === 0

async function checksumOf(path: string): Promise<string> {
  return bundleChecksum(await findBundle(path))
}

test('the example of docs/project/checksum.md has the checksum that it says', async () => {
  const folder = temporaryFolder()
  execFileSync('bash', ['-euc', FILES], { cwd: folder })
  expect(await checksumOf(join(folder, 'bundle'))).toBe(CHECKSUM)
})

test.skipIf(!hasPython)('what is registered over HTTP as it says is verified by svc', async () => {
  const workspace = makeWorkspace({})
  execFileSync('bash', ['-euc', FILES], { cwd: workspace.folder })
  workspace.write('checksum.py', PROGRAM)
  const token = 's3cret'
  const service = await startService(workspace, { env: { SERVICE_LOCAL_API_TOKEN: token } })
  const env = { ...process.env, SERVICE_URL: service.url, SERVICE_LOCAL_API_TOKEN: token }
  execFileSync('bash', ['-euc', REGISTER], { cwd: workspace.folder, env, encoding: 'utf8' })
  const [release] = await new ServiceClient(service.url, { token }).releases()
  expect(release).toMatchObject({ checksum: CHECKSUM, environment: 'prod', agent_id: 'bot' })
  await service.stop()
  await workspace.ok('release', 'verify', release!.release_id, '--path', 'bundle')
})

/** Files by path, next to a release.yaml, whose checksums two programs may well differ in. */
const ODD: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  'line ends': {
    'a.md': '\r\n\r\n\r',
    'b.TXT': 'x\ry\r\r\n',
    'c.bin': '\r\n',
    '.json': '\r',
    'd..json': '\r',
  },
  'texts that are none': {
    'a.csv': Buffer.from([0xff, 13, 10]),
    'b.toml': Buffer.from([0xed, 0xa0, 0x80, 13]),
  },
  'a byte order mark': { 'a.yml': '\ufeffa\r\n' },
  order: { 'a/b': '1', 'a.b': '2', 'a-b': '3', A: '4', é: '5', é2: '6', '\u{1f680}': '7', '\uffee': '8' },
  'what is left out': {
    '.git/config': '1',
    'a/__pycache__/b': '2',
    'b/.git': '3',
    __pycache__: '4',
    '.gitignore': '5',
  },
  'an ending that only looks like one': { 'a.j\u017fon': '\r', 'a.json\n': '\r', 'a.yaml/b': '\r' },
}

test.skipIf(!hasPython)('its program and svc find the same checksums', async () => {
  const folder = temporaryFolder()
  const bundles = Object.entries(ODD).map(([name, files]) => {
    const bundle = join(folder, name)
    for (const [path, content] of Object.entries({ 'release.yaml': '{}\r\n', ...files })) {
      mkdirSync(dirname(join(bundle, path)), { recursive: true })
      writeFileSync(join(bundle, path), content)
    }
    symlinkSync('release.yaml', join(bundle, 'link.md'))
    symlinkSync('..', join(bundle, 'linked'))
    return bundle
  })
  const paths = [...bundles, join(bundles[0]!, 'release.yaml')]
  const said = execFileSync('python3', ['-', ...paths], { input: PROGRAM, encoding: 'utf8' })
  const expected = await Promise.all(paths.map(checksumOf))
  expect(said.trim().split('\n')).toEqual(expected)
  expect(new Set(expected).size).toBe(paths.length)
})
