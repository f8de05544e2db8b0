import { deepStrictEqual } from 'node:assert'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Capabilities } from '../../src/models/documents/capabilities.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { parseYaml } from '../../src/runtime/yaml.ts'
import { freePort } from '../../test/support/processes/free_port.ts'
import { NotHere, inVenv, npmPackages, pythonPackages, run } from './packages.ts'

/** Captures servers of package registries, whose tools the official client in Python has to list alike. */
const folder = mkdtempSync(join(tmpdir(), 'prove-capabilities-'))

const NPM_SERVERS = [
  '@modelcontextprotocol/server-everything@2026.8.31',
  '@modelcontextprotocol/server-memory@2026.8.31',
  '@modelcontextprotocol/server-filesystem@2026.8.31',
]
const PYPI_SERVERS = ['mcp-server-time==2026.10.19', 'mcp-server-git==2026.10.19']
const PYTHON_CLIENT = ['mcp==2.3.0']

type Server = NonNullable<Capabilities['mcp_servers']>[number]

function captured(...args: readonly string[]): Promise<unknown> {
  const svc = join(ROOT_PATH, 'bin/svc.cjs')
  const text = run(process.execPath, [svc, 'release', 'capabilities', 'capture', '--yes', ...args], {
    cwd: folder,
  })
  return parseYaml(text, 'capabilities.yaml')
}

/** The command of each server, by what it is called here. */
function serversHere(): Readonly<Record<string, readonly string[]>> {
  const modules = join(npmPackages('mcp-servers', NPM_SERVERS), 'node_modules/@modelcontextprotocol')
  const python = inVenv(pythonPackages('mcp-servers-python', PYPI_SERVERS), 'python')
  return {
    everything: [process.execPath, join(modules, 'server-everything/dist/index.js')],
    memory: [process.execPath, join(modules, 'server-memory/dist/index.js')],
    filesystem: [process.execPath, join(modules, 'server-filesystem/dist/index.js'), folder],
    time: [python, '-m', 'mcp_server_time'],
    git: [python, '-m', 'mcp_server_git'],
  }
}

async function captureAll(): Promise<Server[]> {
  const python = inVenv(pythonPackages('mcp-client', PYTHON_CLIENT), 'python')
  const script = join(ROOT_PATH, 'tools/proofs/mcp_tools.py')
  const servers: Server[] = []
  for (const [name, command] of Object.entries(serversHere())) {
    const { mcp_servers } = (await captured(
      '--mcp',
      command.map(word => `"${word}"`).join(' '),
    )) as Capabilities
    const [server] = mcp_servers!
    deepStrictEqual(server, JSON.parse(run(python, [script, ...command], { cwd: folder })))
    process.stdout.write(`${name}: both clients list its ${server!.tools.length} tools alike\n`)
    servers.push({ ...server!, name })
  }
  return servers
}

/** The same server over HTTP has the same tools. */
async function captureByHttp(servers: readonly Server[]): Promise<void> {
  const [command, program] = serversHere().everything!
  const port = await freePort()
  const server = spawn(command!, [program!, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    // It says on stderr that it listens.
    await new Promise<void>((done, fail) => {
      server.stderr.on('data', (chunk: Buffer) => {
        if (chunk.includes(String(port))) done()
      })
      server.once('close', () => fail(new Error('server-everything ended before it listened')))
    })
    const { mcp_servers } = (await captured(
      '--mcp',
      `everything=http://127.0.0.1:${port}/mcp`,
    )) as Capabilities
    deepStrictEqual(mcp_servers![0]!.tools, servers.find(({ name }) => name === 'everything')!.tools)
    process.stdout.write('everything: the same over HTTP\n')
  } finally {
    server.kill()
  }
}

try {
  const servers = await captureAll()
  await captureByHttp(servers)
} catch (error) {
  if (!(error instanceof NotHere)) throw error
  process.stdout.write(`capabilities: a package could not be installed: ${error.message}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
