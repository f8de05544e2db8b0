import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NotHere, goProgram, inVenv, mavenJar, npmPackages, pythonPackages, run } from './packages.ts'
import { withService } from './service.ts'

/** Makes a client of the openapi.json in a folder, compiles it, and calls the service with it. */
type Proof = (folder: string, args: readonly string[]) => void

/** Programs that make clients, each with one that uses what it makes. */
const PROOFS: Readonly<Record<string, Proof>> = {
  'openapi-typescript': (folder, args) => {
    const packages = [
      'openapi-typescript@7.13.0',
      'openapi-fetch@0.17.0',
      'typescript@5.9.3',
      '@types/node@24.19.2',
    ]
    const modules = join(npmPackages('openapi-typescript', packages), 'node_modules')
    symlinkSync(modules, join(folder, 'node_modules'))
    const bin = (name: string): string => join(modules, '.bin', name)
    consumer(folder, 'consumer.ts.txt', 'consumer.ts')
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    run(bin('openapi-typescript'), ['openapi.json', '--output', 'api.ts'], { cwd: folder })
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--lib',
      'es2023,dom',
    ]
    run(bin('tsc'), [...options, 'consumer.ts'], { cwd: folder })
    run(process.execPath, ['consumer.ts', ...args], { cwd: folder })
  },
  'openapi-python-client': (folder, args) => {
    const venv = pythonPackages('openapi-python-client', ['openapi-python-client==0.29.1'])
    const generate = ['generate', '--path', 'openapi.json', '--output-path', 'client']
    // It formats what it makes with a second program.
    run(inVenv(venv, 'openapi-python-client'), generate, {
      cwd: folder,
      env: pathWith(inVenv(venv, '')),
    })
    consumer(folder, 'consumer.py', 'client/consumer.py')
    run(inVenv(venv, 'python'), ['-m', 'compileall', '-q', 'client'], { cwd: folder })
    run(inVenv(venv, 'python'), ['client/consumer.py', ...args], { cwd: folder })
  },
  'oapi-codegen': (folder, args) => {
    const module = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
    const program = join(goProgram('oapi-codegen', module), 'bin/oapi-codegen')
    mkdirSync(join(folder, 'api'))
    consumer(folder, 'consumer.go.txt', 'main.go')
    const generate = ['-package', 'api', '-generate', 'types,client', '-o', 'api/api.go', 'openapi.json']
    run(program, generate, { cwd: folder })
    run('go', ['mod', 'init', 'consumer'], { cwd: folder })
    run('go', ['get', 'github.com/oapi-codegen/runtime@v1.8.0'], { cwd: folder })
    run('go', ['vet', './...'], { cwd: folder })
    run('go', ['run', '.', ...args], { cwd: folder })
  },
  'openapi-generator -g go': (folder, args) => {
    const jar = mavenJar('org.openapitools:openapi-generator-cli:7.14.0')
    consumer(folder, 'generated.go.txt', 'main.go')
    const names = [
      '--package-name',
      'api',
      '--git-host',
      'consumer',
      '--git-user-id',
      '',
      '--git-repo-id',
      'api',
    ]
    const generate = ['generate', '-g', 'go', '-i', 'openapi.json', '-o', 'api', ...names]
    run('java', ['-jar', jar, ...generate], { cwd: folder })
    // Its tests want a package that is not here, and its module is a part of ours.
    for (const name of ['test', 'go.mod', 'go.sum'])
      rmSync(join(folder, 'api', name), { recursive: true, force: true })
    run('go', ['mod', 'init', 'consumer'], { cwd: folder })
    run('go', ['vet', './...'], { cwd: folder })
    run('go', ['run', '.', ...args], { cwd: folder })
  },
}

const REGISTRATION = JSON.stringify({
  artifact: {
    api_version: 'v1',
    kind: 'Release',
    metadata: { name: 'support-bot', version: '1.0.0', created_at: '2026-01-31' },
    spec: {
      agent: { agent_id: 'support-bot' },
      runtime: { provider: 'openai', model: 'gpt-4.1', temperature: 0.5 },
      pricing_reference: { provider: 'openai', pricing_version: 'list-2026-01' },
    },
    tags: { team: 'support' },
  },
  checksum: '0'.repeat(64),
})

process.exitCode = await withService({}, async url => {
  const description = await (await fetch(`${url}/openapi.json`)).text()
  const ends = Object.entries(PROOFS).map(([name, proof]) => {
    const end = attempt(proof, description, [url, REGISTRATION])
    process.stdout.write(`${name}: ${end === undefined ? 'the client compiles and works' : end.message}\n`)
    return end
  })
  const failed = ends.filter(end => end !== undefined && !(end instanceof NotHere)).length
  const missed = ends.filter(end => end instanceof NotHere).length
  const passed = ends.length - failed - missed
  process.stdout.write(
    `${passed} passed, ${failed} failed${missed === 0 ? '' : `, ${missed} could not be run`}\n`,
  )
  return failed > 0 || passed === 0 ? 1 : 0
})

function attempt(proof: Proof, description: string, args: readonly string[]): Error | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-clients-'))
  try {
    writeFileSync(join(folder, 'openapi.json'), description)
    proof(folder, args)
    return undefined
  } catch (error) {
    return error as Error
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Puts a program that uses the client where the client is. */
function consumer(folder: string, name: string, to: string): void {
  copyFileSync(fileURLToPath(new URL(`consumers/${name}`, import.meta.url)), join(folder, to))
}

function pathWith(folder: string): Record<string, string> {
  return { PATH: `${folder}${delimiter}${process.env.PATH}` }
}
