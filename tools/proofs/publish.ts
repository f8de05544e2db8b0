import { createHash } from 'node:crypto'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { NotHere, goProgram } from './packages.ts'

// The commands of docs/project/publishing.md that publish the package, with a registry in this process, and those that
// publish the chart, with one of containers. What needs docker or gh is named, not run.

interface Packument {
  readonly versions: Record<string, { readonly deprecated?: string; readonly dist: { tarball: string } }>
  readonly _attachments?: Readonly<Record<string, { readonly data: string }>>
}

if (isMainThread) await prove()
else serveRegistry()

/** As much of a registry as `npm publish`, `view`, `pack` and `deprecate` ask of one. */
function serveRegistry(): void {
  const documents = new Map<string, Packument>()
  const tarballs = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.split('?')[0]!.slice(1))
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const tarball = tarballs.get(path)
    if (request.method === 'GET' && tarball !== undefined) return void response.end(tarball)
    if (request.method === 'GET') {
      const found = documents.get(path)
      return found === undefined ? answer(404, { error: 'not found' }) : answer(200, found)
    }
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { _attachments: files = {}, ...document } = JSON.parse(
        Buffer.concat(parts).toString(),
      ) as Packument
      const before = documents.get(path)
      const isTaken = Object.keys(document.versions).some(version => before?.versions[version] !== undefined)
      if (isTaken && Object.keys(files).length > 0)
        return answer(409, { error: 'this version was published before' })
      for (const [name, { data }] of Object.entries(files)) {
        tarballs.set(`${path}/-/${name}`, Buffer.from(data, 'base64'))
      }
      for (const version of Object.values(document.versions)) {
        version.dist.tarball = `http://${request.headers.host}/${path}/-/${path}-${Object.keys(document.versions)[0]}.tgz`
      }
      documents.set(path, document)
      answer(201, { ok: true })
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port))
}

async function prove(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-publish-'))
  const worker = new Worker(new URL(import.meta.url))
  try {
    const port = await new Promise<number>(resolve => worker.once('message', resolve))
    const registry = `http://127.0.0.1:${port}/`
    writeFileSync(join(folder, 'npmrc'), `//127.0.0.1:${port}/:_authToken=nobody\n`)
    const npm = (...args: string[]): string =>
      run('npm', [...args, '--registry', registry, '--userconfig', join(folder, 'npmrc')], folder)
    const { name, version } = JSON.parse(readFileSync(`${ROOT_PATH}package.json`, 'utf8')) as Record<
      string,
      string
    >
    const packed = run('npm', ['pack', ROOT_PATH, '--ignore-scripts', '--silent'], folder).trim()
    const sum = digest(join(folder, packed))
    npm('publish', `./${packed}`, '--access', 'public')
    check(npm('view', name!, 'version').trim() === version, 'npm view names the version')
    run('mkdir', ['back'], folder)
    run(
      'npm',
      ['pack', `${name}@${version}`, '--registry', registry, '--silent', '--pack-destination', 'back'],
      folder,
    )
    check(digest(join(folder, 'back', packed)) === sum, 'what comes back has the checksum of what was packed')
    const again = spawnSync(
      'npm',
      ['publish', `./${packed}`, '--registry', registry, '--userconfig', join(folder, 'npmrc')],
      { cwd: folder },
    )
    check(again.status !== 0, 'the same version is refused a second time')
    npm('deprecate', `${name}@${version}`, 'use another')
    check(npm('view', name!, 'deprecated').trim() === 'use another', 'a version can be deprecated')
    await publishChart(folder, version!)
    for (const tool of ['docker', 'gh']) {
      process.stdout.write(`not run: what ${tool} does, see docs/project/publishing.md\n`)
    }
  } finally {
    await worker.terminate()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packs the chart, pushes it, and installs from what comes back, as far as that goes without a cluster. */
async function publishChart(folder: string, version: string): Promise<void> {
  let helm: string, program: string
  try {
    helm = join(goProgram('helm', 'helm.sh/helm/v4/cmd/helm@v4.3.0'), 'bin/helm')
    const module = 'github.com/google/go-containerregistry/cmd/registry@v0.20.6'
    program = join(goProgram('container-registry', module), 'bin/registry')
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    process.stdout.write(`could not be run: the chart: ${error.message}\n`)
    return
  }
  const port = await freePort()
  const registry = spawn(program, ['-port', String(port)], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    await once(registry.stderr, 'data')
    const [packed, charts] = [`release-governance-${version}.tgz`, `oci://127.0.0.1:${port}/charts`]
    run(helm, ['package', join(ROOT_PATH, 'deploy/helm/release-governance')], folder)
    run(helm, ['push', packed, charts, '--plain-http'], folder)
    run('mkdir', ['chart'], folder)
    const from = [`${charts}/release-governance`, '--version', version, '--plain-http']
    run(helm, ['pull', ...from, '--destination', 'chart'], folder)
    check(
      digest(join(folder, 'chart', packed)) === digest(join(folder, packed)),
      'the chart that comes back from a registry is the one that was pushed',
    )
    const values = [
      '--set',
      'auth.existingSecret=tokens,image.repository=registry.example.com/release-governance',
    ]
    const rendered = run(helm, ['template', 'releases', ...from, ...values], folder)
    check(
      rendered.includes(`image: "registry.example.com/release-governance:${version}"`),
      'from there it names the image of its version',
    )
  } finally {
    registry.kill()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`)
  process.stdout.write(`ok ${what}\n`)
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return stdout
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
